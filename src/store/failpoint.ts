// Named places where a test may cut the power: `BUSBAR_FAILPOINT=commit.before` kills the process at its first pass,
// `BUSBAR_FAILPOINT=commit.before:3` at its third. Without the variable a pass costs one comparison.
// The thread pauses before the kill. So if another thread wrongly sends an acknowledgement too early, it gets out and
// the test sees it.
const [name, count] = (process.env.BUSBAR_FAILPOINT ?? "").split(":");
const REST_MS = 30;
let passes = 0;

export function failpoint(here: string): void {
  if (here !== name) return;
  passes++;
  if (passes < Number(count ?? 1)) return;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REST_MS);
  process.kill(process.pid, "SIGKILL");
}
