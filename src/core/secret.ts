/**
 * A text that must not be shown. Only `reveal()` gives it back: printing, JSON, string templates and Node's
 * inspection all give "***", so a secret that reaches a log by accident says nothing.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return SHOWN;
  }

  toJSON(): string {
    return SHOWN;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return SHOWN;
  }
}

const SHOWN = "***";
