/** The command was not given in a way that can be run. The message says what to write instead. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}
