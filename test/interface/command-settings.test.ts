// Settings of commands.
import { expect } from "vitest";
import { check } from "./check.ts";
import { useSite } from "./use-site.ts";
import { manifestWith } from "./validate.ts";

const site = useSite(["--commands-response-timeout", "100s", "--commands-wait-limit", "20s"]);
const DEVICE = manifestWith("command_groups: {g: {display_name: G}}\ncommands: {run: {group: g, display_name: Run}}");

check("commands.deadline-setting", async () => {
  const { started, state } = await site.device(DEVICE);
  const id = await started({ name: "run" });
  site.advance(99_000);
  expect(await state(id)).toBe("NEW");
  site.advance(1_000);
  await expect.poll(() => state(id)).toBe("TIMEOUT");
});

check("commands.execute-wait-setting", async () => {
  const { execute, ids } = await site.device(DEVICE);
  const waiting = execute({ name: "run" });
  await expect.poll(() => ids()).toHaveLength(1);
  site.advance(20_000);
  expect((await waiting).body.execution.state).toBe("NEW");
});
