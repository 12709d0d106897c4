/** What the command line's exit code tells a script. Documented in docs/cli.md. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  notAllowed: 3,
  notFound: 4,
  unreachable: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
