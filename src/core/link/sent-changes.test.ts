import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import {
  mustWait,
  NOTHING_SENT,
  sendAfter,
  takenByCloud,
  withAck,
  withNoted,
  withSent,
  withSentTo,
  withWhole,
} from "./sent-changes.ts";

/**
 * `s` sends a message, `to5` ends what is sent at 5, `all5` names the end of everything. `a5` confirms up to 5, `a5@20` does so
 * at second 20. `end` is the end of the connection. The effects: `n5` notes the number, `c` says that the cloud has everything.
 */
function play(script: string): { readonly effects: string; readonly taken: number; readonly waits: boolean } {
  let sent = NOTHING_SENT;
  const effects: string[] = [];
  const noted = (note: number | undefined) => note !== undefined && effects.push(`n${note}`);
  for (const word of script.split(" ")) {
    const [, name, number, second] = /^([a-z]+)(\d*)@?(\d*)$/.exec(word) ?? [];
    const to = Number(number);
    if (name === "s") sent = withSent(sent);
    else if (name === "to") sent = withSentTo(sent, to);
    else if (name === "all") sent = withWhole(sent, { to, epoch: "c" });
    else if (name === "end") {
      const after = withNoted(sent);
      sent = after.sent;
      noted(after.note);
    } else {
      const after = withAck(sent, to, instant(Number(second) * 1_000));
      sent = after.sent;
      if (after.completed !== undefined) effects.push(after.completed);
      noted(after.note);
    }
  }
  return { effects: effects.join(" "), taken: takenByCloud(sent), waits: mustWait(sent) };
}

test.each([
  // The first confirmation is noted, others after ten seconds or at the end.
  ["s a5", "n5"],
  ["s a5 s a6", "n5"],
  ["s a5 s a6@9", "n5"],
  ["s a5 s a6@10", "n5 n6"],
  ["s a5 s a6 end", "n5 n6"],
  ["s a5 end", "n5"],
  ["s end", ""],
  // A part of everything has no number, and does not begin the ten seconds.
  ["s a0 s a5", "n5"],
  // A number that was confirmed before.
  ["s a5 s a4@10 end", "n5"],
  // Everything is complete once, with its last part.
  ["s s all9 s a0 a0", ""],
  ["s s all9 s a0 a0 a9", "c n9"],
  ["all9 s a9 s a10@10", "c n9 n10"],
])("[%s] has the effects [%s]", (script, expected) => {
  expect(play(script).effects).toBe(expected);
});

test.each([
  ["s", 0],
  ["s to5", 0],
  ["s to5 a5", 5],
  // Changes after the last one that was sent are of kinds that are never sent.
  ["s to5 a5 to8", 8],
  ["s a5 s to8", 5],
  ["s s a5 to8", 5],
  ["s a0", 0],
])("after [%s] the cloud has stored everything up to %d", (script, expected) => {
  expect(play(script).taken).toBe(expected);
});

test.each([
  ["s s s", false],
  ["s s s s", true],
  ["s s s s a1", false],
  ["s s s s a1 s", true],
  // A confirmation too many gives no room for another message.
  ["a1 a1 s s s s", true],
])("after [%s] the next message waits: %s", (script, expected) => {
  expect(play(script).waits).toBe(expected);
});

test.each([
  [{ taken: 5, epoch: "c" }, 5],
  [{ taken: 9, epoch: "c" }, 9],
  [{ taken: 3, epoch: "c" }, 3],
  // It has confirmed more than it has.
  [{ taken: 2, epoch: "c" }, null],
  // It has more than there is here.
  [{ taken: 10, epoch: "c" }, null],
  [{ taken: 5, epoch: "d" }, null],
  [{ taken: null, epoch: "c" }, null],
])("a gateway with changes 1 to 9, of which 3 were confirmed, sends to %j what came after %s", (welcome, expected) => {
  expect(sendAfter(welcome, { confirmed: 3, cloudEpoch: "c", latest: 9 })).toBe(expected);
});
