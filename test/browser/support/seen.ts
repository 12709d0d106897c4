// A page shows what it knows, and the rest when its answers come: a test that reads it once reads it too early on a slow machine.
// What has to appear is waited for (`waitFor`, `expect.poll`). Here is what is left: what is read to go on with, and what has to be
// absent. `test/house/page-reads.test.ts` refuses reads that wait for nothing.
import type { Locator } from "playwright-core";
import { expect, vi } from "vitest";
import { PATIENCE } from "./browse.ts";

/** Waits for something that the page shows no sooner than what is read, and then reads once. */
export async function readAfter<Value>(fact: Locator, read: () => Promise<Value>): Promise<Value> {
  await fact.first().waitFor();
  return await read();
}

/** It is not there, although the page has come as far as something that it shows no sooner. */
export async function lacks(absent: Locator, beside: Locator): Promise<void> {
  expect([`${absent}`, await readAfter(beside, () => absent.count())]).toEqual([`${absent}`, 0]);
}

/** The text of an element once it fits the pattern, to go on with. */
export async function textOf(element: Locator, pattern = /\S/): Promise<string> {
  const read = async () => {
    const text = (await element.textContent()) ?? "";
    expect(text).toMatch(pattern);
    return text.trim();
  };
  return await vi.waitFor(read, { timeout: PATIENCE, interval: 50 });
}

/** Where an element is, once it has stopped moving. */
export async function boxOf(element: Locator) {
  const read = async () => {
    const handle = await element.elementHandle();
    await handle?.waitForElementState("stable");
    const box = await element.boundingBox();
    if (box === null) throw new Error(`${element} is not shown`);
    return box;
  };
  return await vi.waitFor(read, { timeout: PATIENCE, interval: 50 });
}
