#!/usr/bin/env node

// An agent in JavaScript: a slave that answers calls and makes them, written from
// docs/reference/hip.md alone. It needs Node.js 18 and the package `yaml` (Debian: node-yaml).
//
//     agent.mjs [--name node-1] [--frame BYTES] [--in-flight CALLS] [--heartbeat S] [--silence S] MASTER

import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { HipError } from "./node/call.mjs";
import { Slave } from "./node/slave.mjs";
import { Float } from "./node/yaml.mjs";

const option = (fallback) => ({ type: "string", default: fallback });
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    name: option("node-1"),
    frame: option(String(4 * 1024 ** 2)),
    "in-flight": option("1000"),
    heartbeat: option("10"),
    silence: option("30"),
  },
});

const journal = []; // what befell this agent, for its master to ask
const methods = new Map();

function method(name, parameters, words, run) {
  methods.set(name, { parameters, words, run });
}

function information() {
  const { link } = slave;
  return {
    kind: "node",
    name: options.name,
    version: "1.0",
    pid: process.pid,
    uptime: new Float(process.uptime()),
    memory: process.memoryUsage.rss(),
    calls: link.answered,
    in_flight: link.asked.size + link.answers.size,
  };
}

method("hip.info", [], "Tell who this agent is and how it is.", () => ({ ...information(), slaves: 0 }));

method("hip.tree", [], "Show this agent, which has no slaves.", () => ({ ...information(), slaves: [] }));

method("hip.methods", [], "List the methods that this agent answers.", () =>
  [...methods].map(([name, { parameters, words }]) => ({
    signature: `${name}(${parameters.join(", ")})`,
    words,
  })));

method("echo", ["value"], "Answer with the value.", (call, value) => value);

method("add", ["a", "b"], "Answer with the sum of two integers of any size.", (call, a, b) =>
  BigInt(a) + BigInt(b));

method(
  "slow", ["seconds"],
  "Answer with the seconds after so many of them; note why it is stopped.",
  async (call, seconds) => {
    call.signal.onabort = () => journal.push(`slow was stopped: ${call.signal.reason}`);
    await sleep(1000 * seconds, undefined, { signal: call.signal });
    return seconds;
  },
);

method("fail", ["code", "words"], "Fail with a code.", (call, code, words) => {
  throw new HipError(code, words);
});

method("break", [], "Make a mistake.", () => {
  throw new Error("broken on purpose");
});

method("large", ["size"], "Answer with a text of so many characters.", (call, size) => "x".repeat(size));

method("note", ["words"], "Write words in the journal.", (call, words) => {
  journal.push(words);
  return null;
});

method("journal", [], "Answer with what befell this agent.", () => journal);

method(
  "ask", ["method", "arguments", "patience"],
  "Call methods of the master, one for each arguments, all at once; "
    + "answer with [value] or [code, words] for each, in order.",
  (call, name, each, patience) => {
    setMaxListeners(0, call.signal); // one for each of our calls; more than ten are no mistake here
    return Promise.all(each.map((args) =>
      call.link.call(name, args, patience, call.signal).then(
        (value) => [value],
        (error) => [error.code, error.message],
      )));
  },
);

method("tell", ["method", "arguments"], "Send the master a notification.", (call, name, args) => {
  call.link.notify(name, args);
  return null;
});

/** The first words to a master, of the agent's own accord. */
async function introduce(link) {
  try {
    const master = await link.call("hip.info", {}, 5);
    journal.push(`the master is ${master.name}`);
  } catch (error) {
    journal.push(`no master: ${error.message}`);
  }
}

const slave = new Slave({
  master: positionals[0],
  methods,
  heartbeat: Number(options.heartbeat),
  silence: Number(options.silence),
  onGreeted: introduce,
  greeting: {
    hip: 2,
    kind: "node",
    name: options.name,
    version: "1.0",
    serializers: ["yaml"],
    frame: Number(options.frame),
    in_flight: Number(options["in-flight"]),
  },
});
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => slave.stop());
slave.start();
