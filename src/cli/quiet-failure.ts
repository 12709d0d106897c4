import type { ExitCode } from "./exit-code.ts";

/** Ends the command with an exit code; what there is to say has been printed already. */
export class QuietFailure extends Error {
  readonly exitCode: ExitCode;
  constructor(exitCode: ExitCode) {
    super("the command has said why it failed");
    this.name = "QuietFailure";
    this.exitCode = exitCode;
  }
}
