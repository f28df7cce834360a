// A call of the master that one of our methods works on; a notification is one without a number.
//
// A method is { parameters: [names], words: documentation, run: async (call, ...values) => value }.
// It may throw a HipError; `call.signal` is aborted, with a code, when nobody wants the answer.

export class HipError extends Error {
  constructor(code, words) {
    super(words);
    this.code = code;
  }
}

export class Call {
  #stopped = new AbortController();
  #isOver = false;

  constructor(link, number) {
    this.link = link;
    this.number = number;
    this.signal = this.#stopped.signal;
  }

  async run(methods, name, args) {
    try {
      const method = methods.get(name);
      if (!method) throw new HipError("unknown-method", `there is no ${name}`);
      const value = await method.run(this, ...checked(name, method.parameters, args));
      this.#end("response", value ?? null);
    } catch (error) {
      if (error instanceof HipError) return this.fail(error.code, error.message);
      if (this.#isOver) return;
      console.error(`${name}: ${error.stack}`);
      this.fail("failed", `${name} made a mistake; the agent's log says which`);
    }
  }

  fail(code, words) {
    this.#end("error", code, words);
  }

  /** Stop the method, and say so. */
  stop(code, words) {
    if (this.#isOver) return;
    this.#stopped.abort(code);
    this.fail(code, words);
  }

  #end(...what) {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.number !== null) this.link.answer(this, ...what);
  }
}

function checked(name, parameters, args) {
  const given = Object.keys(args ?? {});
  const odd = [
    ...parameters.filter((parameter) => !given.includes(parameter)),
    ...given.filter((argument) => !parameters.includes(argument)),
  ];
  if (odd.length) throw new HipError("bad-arguments", `${name}: missing or unknown: ${odd[0]}`);
  return parameters.map((parameter) => args[parameter]);
}
