/** What the command line's exit code means to a script. Documented in docs/cli.md. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  notAllowed: 3,
  notFound: 4,
  unreachable: 5,
  /** The device answered with an error. */
  deviceError: 6,
  /** The device did not answer in time. */
  timeout: 7,
  /** Nobody knows whether the device did it. */
  unknownOutcome: 8,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
