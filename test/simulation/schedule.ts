import { randomFrom } from "../support/random.ts";
import { type Bug, PATIENCE_MS, World } from "./world.ts";

/** Plays one random schedule to its end and gives what it broke. */
export async function playSchedule(seed: number, bug?: Bug): Promise<readonly string[]> {
  const random = randomFrom(seed);
  const world = new World(random, bug);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  await world.start();
  const steps = 10 + random() * 30;
  for (let step = 0; step < steps; step++) {
    const device = pick(world.devices);
    const dice = random();
    if (!world.isUp) {
      await world.start();
    } else if (dice < 0.4) {
      const key = random() < 0.3 ? pick(["a", "b"]) : undefined;
      for (let n = 0; n < random() * 4; n++) world.call(device, { waits: random() < 0.3, key });
    } else if (dice < 0.5) {
      if (device.isConnected) device.disconnect();
      world.connect(device);
    } else if (dice < 0.6) {
      // Away for a moment, perhaps while something is on its way to it.
      device.disconnect();
      if (random() < 0.5) world.call(device, { waits: false, key: undefined });
      world.clock.after(random() * 100, () => device.isConnected || world.connect(device));
    } else if (dice < 0.7) {
      if (random() < 0.5) world.call(device, { waits: false, key: undefined });
      world.clock.after(random() * 10, () => device.disconnect());
    } else if (dice < 0.78) world.crash();
    else if (dice < 0.84) world.jump((random() - 0.5) * 4 * 3_600_000);
    else if (dice < 0.88) world.breakDisk(random() * 2_000);
    else if (dice < 0.93) world.failSends(random() * 1_000);
    else device.repeat();
    await world.pass(random() < 0.6 ? random() * 40 : random() * PATIENCE_MS * 1.5);
  }
  // Calm: all troubles are over, everyone is there, and there is time for everything to end.
  if (!world.isUp) await world.start();
  for (const device of world.devices) if (!device.isConnected) world.connect(device);
  await world.pass(PATIENCE_MS * 8 + 20_000);
  await world.checkEnd();
  return world.referee.violations;
}
