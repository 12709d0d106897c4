// Named places where a test may cut the power: `BUSBAR_FAILPOINT=commit.before` kills the process at its first pass,
// `BUSBAR_FAILPOINT=commit.before:3` at its third. Without the variable a pass costs one comparison.
const [name, count] = (process.env.BUSBAR_FAILPOINT ?? "").split(":");
let passes = 0;

export function failpoint(here: string): void {
  if (here !== name) return;
  passes++;
  if (passes >= Number(count ?? 1)) process.kill(process.pid, "SIGKILL");
}
