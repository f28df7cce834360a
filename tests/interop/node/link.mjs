// One connection to a master: greeting, messages both ways, and its end.
//
// GREETING --the master's greeting--> OPEN --goodbye, nonsense, silence--> CLOSED

import { Call, HipError } from "./call.mjs";
import { Float, fromYaml, toYaml } from "./yaml.mjs";

const VERSION = 2;
const GREETING = 65536; // bytes of a frame until we are greeted
const GREETING_TIME = 10; // seconds
const PARTING = 1; // seconds to take our last words
const UNSENT = 16 * 1024 ** 2; // bytes held for a master that does not read
const MESSAGES = 65535; // in a frame
const LINE = 10000; // calls in line

const PARTS = { request: 4, response: 2, error: 3, notification: 2, cancellation: 1 };

export class Link {
  /** Begin on a connected socket. The agent has: greeting, methods, heartbeat and silence in
   * seconds, and the functions `greeted`, `redirected` and `closed`. */
  constructor(agent, socket) {
    this.agent = agent;
    this.socket = socket;
    this.state = "GREETING";
    this.asked = new Map(); // our calls by number
    this.answers = new Map(); // the master's calls that we work on, by number
    this.line = []; // our calls that the master has no room for yet
    this.number = 0; // of our last request
    this.answered = 0; // the master's last request
    this.accepts = GREETING;
    this.chunks = [];
    this.held = 0; // bytes in them
    this.gathered = null; // the frame that is being filled
    this.heard = this.spoke = performance.now();
    socket.setNoDelay?.(true);
    socket.on("data", (data) => this.#read(data));
    socket.on("error", (error) => { this.reason ??= error.message; });
    socket.on("close", () => this.#lost());
    this.#write(toYaml(agent.greeting));
    this.timer = setTimeout(() => this.close("no greeting came"), 1000 * GREETING_TIME);
  }

  // Calling

  /** Call a method of the master; rejects with a HipError. `abort` is an AbortSignal. */
  call(method, args, patience, abort) {
    return new Promise((resolve, reject) => {
      if (this.state !== "OPEN" || this.line.length >= LINE) {
        reject(new HipError("not-sent", "there is no link, or too many calls are in line"));
        return;
      }
      const call = { method, args, resolve, reject, until: performance.now() + 1000 * patience };
      const late = () => this.#giveUp(call, "timed-out", `${method}: no answer in ${patience} s`);
      call.timer = setTimeout(late, 1000 * patience);
      abort?.addEventListener("abort", () => this.#giveUp(call, "cancelled", "cancelled here"));
      this.line.push(call);
      this.#ask();
    });
  }

  notify(method, args) {
    this.#say("notification", [method, args]);
  }

  #giveUp(call, code, words) {
    if (call.number === undefined) this.line = this.line.filter((other) => other !== call);
    else if (this.asked.delete(call.number)) this.#say("cancellation", [call.number]);
    this.#fail(call, code, words);
  }

  #fail(call, code, words) {
    clearTimeout(call.timer);
    call.reject(new HipError(code, words));
  }

  #ask() {
    while (this.line.length && this.asked.size < this.peer.in_flight) {
      const call = this.line.shift();
      const left = (call.until - performance.now()) / 1000;
      if (left <= 0) continue; // its timer says so in a moment
      try {
        this.#say("request", [this.number + 1, call.method, call.args, new Float(left)]);
      } catch (error) {
        this.#fail(call, "not-sent", error.message);
        continue;
      }
      call.number = ++this.number;
      this.asked.set(call.number, call);
    }
  }

  // Hearing

  #read(data) {
    this.heard = performance.now();
    this.chunks.push(data);
    this.held += data.length;
    try {
      for (let frame; this.#isOpen && (frame = this.#frame()); ) {
        const said = fromYaml(frame);
        if (this.state === "GREETING") this.#beGreeted(said);
        else this.#hear(said);
      }
    } catch (error) {
      this.close(error.message);
    }
  }

  get #isOpen() {
    return this.state === "GREETING" || this.state === "OPEN";
  }

  /** Return the next payload, or null when it is not whole. */
  #frame() {
    if (this.held < 4) return null;
    if (this.chunks[0].length < 4) this.chunks = [Buffer.concat(this.chunks)];
    const length = this.chunks[0].readUInt32BE(0);
    if (length < 1 || length > this.accepts) {
      throw new Error(`a frame of ${length} bytes; from 1 to ${this.accepts} are accepted`);
    }
    if (this.held < 4 + length) return null;
    const data = this.chunks.length > 1 ? Buffer.concat(this.chunks) : this.chunks[0];
    this.held -= 4 + length;
    this.chunks = this.held ? [data.subarray(4 + length)] : [];
    return data.subarray(4, 4 + length);
  }

  #beGreeted(greeting) {
    if (!Number.isInteger(greeting?.hip)) throw new Error("no greeting");
    if (greeting.hip !== VERSION) throw new Error(`HIP ${greeting.hip} is spoken there, and 2 here`);
    if (!(greeting.serializers ?? ["yaml"]).includes("yaml")) throw new Error("no serializer in common");
    this.peer = { frame: 65536, in_flight: 100, ...greeting };
    this.accepts = this.agent.greeting.frame;
    this.state = "OPEN";
    clearTimeout(this.timer);
    this.timer = setInterval(() => this.#look(), 500 * this.agent.heartbeat);
    this.agent.greeted(this);
  }

  #hear(frame) {
    if (!Array.isArray(frame)) throw new Error("a frame that is no list with a name");
    const [kind, rest] = frame;
    if (kind === "heartbeat") return;
    if (kind === "goodbye") {
      this.#end(`the master said goodbye: ${rest}`);
    } else if (kind === "redirection") {
      this.agent.redirected(this, rest);
    } else if (Object.hasOwn(PARTS, kind) && Array.isArray(rest)) {
      for (const message of rest) this.#hearMessage(kind, message);
    } else {
      throw new Error("a frame of unknown kind");
    }
  }

  #hearMessage(kind, message) {
    if (!Array.isArray(message) || message.length < PARTS[kind]) throw new Error(`a ${kind} too short`);
    const [first, second, third] = message;
    switch (kind) {
      case "request": return this.#beAsked(...message);
      case "response": return this.#beAnswered(first, (call) => call.resolve(second));
      case "error":
        return this.#beAnswered(first, (call) => call.reject(new HipError(second, third)));
      case "notification": return new Call(this, null).run(this.agent.methods, first, second);
      case "cancellation":
        return this.answers.get(first)?.stop("cancelled", "the call was cancelled");
    }
  }

  #beAnswered(number, settle) {
    if (!(number >= 1 && number <= this.number)) throw new Error(`an answer to ${number}, which is no call`);
    const call = this.asked.get(number);
    if (!call) return; // it was given up
    this.asked.delete(number);
    clearTimeout(call.timer);
    settle(call);
    this.#ask();
  }

  // Answering

  #beAsked(number, method, args, patience) {
    if (!(number > this.answered && number <= 2 ** 53)) throw new Error(`request ${number} comes too late`);
    this.answered = number;
    const call = new Call(this, number);
    if (this.answers.size >= this.agent.greeting.in_flight) {
      call.fail("overloaded", "so many calls are answered already");
      return;
    }
    this.answers.set(number, call);
    const late = () => call.stop("timed-out", `it worked for longer than ${patience} s`);
    call.timer = setTimeout(late, Math.min(1000 * patience, 2 ** 31 - 1));
    call.run(this.agent.methods, method, args);
  }

  /** Say what a call has come to; called once by the call. */
  answer(call, kind, ...rest) {
    this.answers.delete(call.number);
    clearTimeout(call.timer);
    try {
      this.#say(kind, [call.number, ...rest]);
    } catch (error) {
      const code = error instanceof RangeError ? "too-large" : "cannot-carry";
      this.#say("error", [call.number, code, error.message]);
    }
  }

  // Speaking. Messages of one kind are gathered in a frame until the turn ends.

  #say(kind, message) {
    if (this.state !== "OPEN") return;
    const text = toYaml(message);
    const size = Buffer.byteLength(text) + 2;
    const around = kind.length + 8; // `["request", [` and `]]`, less a comma
    if (around + size > this.peer.frame) {
      throw new RangeError(`${around + size} bytes, and a frame has ${this.peer.frame}`);
    }
    const frame = this.gathered;
    if (frame?.kind !== kind || frame.size + size > this.peer.frame || frame.messages.length >= MESSAGES) {
      this.#endFrame();
      this.gathered = { kind, size: around, messages: [] };
      setImmediate(() => this.#endFrame());
    }
    this.gathered.messages.push(text);
    this.gathered.size += size;
  }

  #endFrame() {
    if (this.gathered === null) return;
    const { kind, messages } = this.gathered;
    this.gathered = null;
    this.#write(`["${kind}", [${messages.join(", ")}]]`);
  }

  /** Say what travels in a frame of its own. */
  #sayAlone(...frame) {
    this.#endFrame();
    this.#write(toYaml(frame));
  }

  #write(text) {
    if (this.socket.destroyed || this.socket.writableEnded) return;
    const payload = Buffer.from(text);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(payload.length);
    this.spoke = performance.now();
    this.socket.write(Buffer.concat([length, payload]));
    if (this.socket.writableLength > UNSENT) {
      this.reason ??= "the master does not read";
      this.socket.destroy();
    }
  }

  // Being alive, and the end

  #look() {
    const now = performance.now();
    const { heartbeat, silence } = this.agent;
    if (now - this.heard > 1000 * silence) this.close("silence");
    else if (now - this.spoke >= 500 * heartbeat) this.#sayAlone("heartbeat");
  }

  /** Say goodbye and close, once it is sent or a second has passed. */
  close(reason) {
    if (!this.#isOpen) return;
    if (this.state === "OPEN") this.#sayAlone("goodbye", reason);
    this.#end(reason);
  }

  #end(reason) {
    this.state = "CLOSED";
    this.reason ??= reason;
    clearInterval(this.timer);
    this.timer = setTimeout(() => this.socket.destroy(), 1000 * PARTING);
    this.socket.end();
  }

  #lost() {
    this.state = "CLOSED";
    clearTimeout(this.timer);
    const waiting = [...this.asked.values(), ...this.line];
    this.asked.clear();
    this.line = [];
    for (const call of waiting) this.#fail(call, "lost", "the link has ended");
    for (const call of this.answers.values()) call.stop("lost", "the link has ended");
    this.agent.closed(this, this.reason ?? "the connection was closed");
  }
}
