// An agent that is the slave of one master, for as long as it runs.
//
// WAITING --connected--> LINKED --lost--> WAITING (after a back-off, for the configured master)
// LINKED --redirection--> CONNECTING (to the new master, at once)

import { connect } from "node:net";
import { Link } from "./link.mjs";

const FIRST_WAIT = 0.5; // seconds
const LONGEST_WAIT = 30;
const REDIRECTIONS = 5; // in a round

export class Slave {
  constructor({ master, greeting, methods, onGreeted, heartbeat = 10, silence = 30 }) {
    Object.assign(this, { master, greeting, methods, onGreeted, heartbeat, silence });
    this.link = null;
    this.wait = FIRST_WAIT;
    this.isStopping = false;
    this.#beginRound();
  }

  start() {
    const socket = connect(this.#where());
    this.socket = socket;
    const refused = (error) => {
      console.error(`no link to ${this.target}: ${error.message}`);
      this.#later();
    };
    socket.once("error", refused);
    socket.once("connect", () => {
      socket.off("error", refused);
      this.link = new Link(this, socket);
    });
  }

  /** Say goodbye and connect no more. */
  stop() {
    this.isStopping = true;
    clearTimeout(this.timer);
    if (this.link) this.link.close("stopping");
    else this.socket.destroy();
  }

  #where() {
    if (this.target.startsWith("unix:")) return { path: this.target.slice(5) };
    const [, host, port] = this.target.match(/^\[?(.*?)\]?:(\d+)$/);
    return { host, port: Number(port) };
  }

  #beginRound() {
    this.target = this.master;
    this.round = new Set([this.master]);
    this.isRedirected = false;
  }

  #later() {
    this.#beginRound();
    if (this.isStopping) return;
    const wait = this.wait * (0.75 + Math.random() / 4);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    this.timer = setTimeout(() => this.start(), 1000 * wait);
  }

  // What a link tells

  greeted(link) {
    this.wait = FIRST_WAIT;
    this.onGreeted(link);
  }

  redirected(link, address) {
    const mayGo = /^unix:/.test(address) ? /^unix:/.test(this.target) : /.:\d+$/.test(address);
    if (!mayGo) throw new Error(`a redirection to nowhere: ${address}`);
    if (this.round.has(address)) throw new Error(`redirected in a circle, to ${address}`);
    if (this.round.size > REDIRECTIONS) throw new Error(`more than ${REDIRECTIONS} redirections in a row`);
    this.round.add(address);
    this.target = address;
    this.isRedirected = true;
    link.close(`redirected to ${address}`);
  }

  closed(link, reason) {
    this.link = null;
    console.error(`the link ended: ${reason}`);
    if (this.isStopping) return;
    if (!this.isRedirected) return this.#later();
    this.isRedirected = false;
    this.start();
  }
}
