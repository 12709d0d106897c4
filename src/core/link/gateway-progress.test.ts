import { expect, test } from "vitest";
import {
  beginProgress,
  type GatewayProgress,
  hasOtherRecords,
  isRestored,
  positionOf,
  requireInTurn,
  withEverythingAnswered,
  withHello,
  withRecords,
} from "./gateway-progress.ts";

/**
 * `hello:b` names the gateway's records, `again:b` does so after a refused site was granted. `r5` are changes up to 5, `w5` is a
 * part of everything; `.` marks the last one for now. `all` says that nothing is left to ask for. The cloud has the records
 * that it has settled up to 7.
 */
function play(script: string, settled: string | undefined): GatewayProgress {
  let progress = beginProgress({ epoch: settled, taken: 7 });
  for (const word of script.split(" ").filter((one) => one !== "")) {
    const [name = "", epoch = ""] = word.split(":");
    const [, kind, to] = /^([rw])(\d+)/.exec(word) ?? [];
    if (kind !== undefined) {
      requireInTurn(progress, "records");
      progress = withRecords(progress, { isWhole: kind === "w", isLast: word.endsWith("."), to: Number(to) });
    } else if (name === "all") progress = withEverythingAnswered(progress);
    else {
      requireInTurn(progress, "hello");
      progress = withHello(progress, { epoch, version: "1", protocol: "1.3", mustRepeat: name === "again" });
    }
  }
  return progress;
}

test.each([
  ["", "greeting 7 a"],
  ["hello:a", "syncing 7 a"],
  ["hello:a r8", "syncing 8 a"],
  ["hello:a r8.", "asked 8 a"],
  ["hello:a r8. r9", "asked 9 a"],
  ["hello:a r8. r9.", "asked 9 a"],
  ["hello:a r8. all", "ready 8 a"],
  ["hello:a r8. all r9.", "ready 9 a"],
  // Nothing is settled before the gateway has sent what changed.
  ["all", "greeting 7 a"],
  ["hello:a all", "syncing 7 a"],
  // Everything comes again, and the position counts once it is complete.
  ["again:a", "syncing 0 a"],
  ["again:a w0 w0", "syncing 0 a"],
  ["again:a w0 w9.", "asked 9 a"],
  // Other records: the former ones count as settled until everything is.
  ["hello:b", "syncing 0 a"],
  ["hello:b w0 w9.", "asked 9 a"],
  ["hello:b w0 w9. all", "ready 9 b"],
])("after [%s] the gateway is %s", (script, expected) => {
  const progress = play(script, "a");
  const { epoch, taken, isCaughtUp } = positionOf(progress);
  expect(`${progress.stage} ${taken} ${epoch}`).toBe(expected);
  expect(isCaughtUp).toBe(progress.stage === "ready");
});

test.each([
  ["r1", "the gateway did not say hello first"],
  ["w1.", "the gateway did not say hello first"],
  ["hello:a hello:a", "the gateway said hello twice"],
  ["hello:a r8. all hello:a", "the gateway said hello twice"],
])("[%s] is refused: %s", (script, message) => {
  expect(() => play(script, "a")).toThrow(message);
});

test.each([
  ["a", "a", "the same records"],
  ["a", "b", "other records, restored"],
  [undefined, "b", "other records"],
])("a gateway that was settled as %s and comes as %s has %s", (settled, said, expected) => {
  // It stays so to the end of the connection.
  for (const script of [`hello:${said}`, `hello:${said} w9. all`]) {
    const progress = play(script, settled);
    const found = `${hasOtherRecords(progress) ? "other" : "the same"} records${isRestored(progress) ? ", restored" : ""}`;
    expect(found).toBe(expected);
  }
});
