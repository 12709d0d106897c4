import { expect, test } from "vitest";
import type { Nodes } from "#service/ports/nodes.ts";
import { manualTimers } from "../../../test/support/manual-timers.ts";
import { createConfigurationSender } from "./configuration-sender.ts";

/** Nodes that share their claims. */
function makeNodes() {
  const { timers, pass } = manualTimers();
  const claimed = new Set<string>();
  const sent: string[] = [];
  const node = (name: string, isCurrent = true) => {
    const nodes: Pick<Nodes, "isShared" | "isCurrent" | "claim"> = {
      isShared: true,
      isCurrent: () => isCurrent,
      claim: async (reason) => {
        if (!isCurrent || claimed.has(reason)) return undefined;
        claimed.add(reason);
        return { lost: new AbortController().signal, release: async () => void claimed.delete(reason) };
      },
    };
    const sender = createConfigurationSender({ nodes, after: timers.after });
    return (reason: string, fails = false) =>
      sender.once(reason, async () => {
        if (fails) throw new Error("it did not leave");
        sent.push(`${name} ${reason}`);
      });
  };
  return { node, sent, claimed, pass };
}

test("of several nodes one sends, and the reason is forgotten after a while", async () => {
  const { node, sent, claimed, pass } = makeNodes();
  const [one, other] = [node("one"), node("other")];
  await Promise.all([one("a"), other("a"), one("a"), other("b")]);
  expect(sent.sort()).toEqual(["one a", "other b"]);
  pass(60_000);
  await Promise.resolve();
  expect(claimed.size).toBe(0);
});

test("what did not leave is sent by the next one, and a node that cannot claim anything sends", async () => {
  const { node, sent } = makeNodes();
  await expect(node("one")("a", true)).rejects.toThrow("it did not leave");
  await node("other")("a");
  await node("cut off", false)("a");
  expect(sent).toEqual(["other a", "cut off a"]);
});

test("the claims that are kept are limited", async () => {
  const { node, claimed } = makeNodes();
  const one = node("one");
  for (let n = 0; n < 600; n++) await one(`reason ${n}`);
  expect(claimed.size).toBe(500);
  expect(claimed.has("reason 599")).toBe(true);
});
