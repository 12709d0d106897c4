// Bugs that somebody might make, one at a time.
import type { Bug } from "./world.ts";

export const BUGS: readonly Bug[] = [
  {
    name: "the mark of an attempt is not kept",
    store: (rows) => ({
      ...rows,
      markAttempted: async (id) => (await rows.toSend(id)) !== undefined,
    }),
  },
  {
    name: "an execution that is about to be sent is stored as waiting",
    store: (rows) => ({ ...rows, insert: (input, trail) => rows.insert({ ...input, attempted: false }, trail) }),
  },
  {
    name: "a mark is taken back although the device has answered",
    store: (rows) => ({
      ...rows,
      record: async (deviceId, id, arrival) => {
        await rows.unmarkAttempted(id);
        return await rows.record(deviceId, id, arrival);
      },
      recordStartAndAnswer: async (deviceId, id, both) => {
        await rows.unmarkAttempted(id);
        return await rows.recordStartAndAnswer(deviceId, id, both);
      },
    }),
  },
  {
    name: "a timeout counts whatever was heard since",
    store: (rows) => ({
      ...rows,
      expire: async (id) => {
        const now = await rows.toSend(id);
        return now && (await rows.expire(id, now.execution.deadline));
      },
    }),
    needs: (needs) => ({
      ...needs,
      // Together with timers that are not called off.
      after: (ms, callback) => {
        needs.after(ms, callback);
        return () => {};
      },
    }),
  },
  {
    name: "what an earlier run left open is forgotten",
    dispatcher: (dispatcher) => ({ ...dispatcher, recover: async () => {} }),
  },
  {
    name: "a timeout that could not be stored is not tried again",
    needs: (needs) => ({
      ...needs,
      executions: {
        ...needs.executions,
        expire: (id, deadline) => needs.executions.expire(id, deadline).catch(() => undefined),
      },
    }),
  },
  {
    name: "timers run on the wall clock",
    needs: (needs, { clock }) => ({
      ...needs,
      after: (ms, callback) => {
        const due = clock.now() + ms;
        let callOff = () => {};
        const look = (): void => {
          if (clock.now() >= due) callback();
          else callOff = needs.after(100, look);
        };
        look();
        return () => callOff();
      },
    }),
  },
  {
    name: "a late end does not correct a timeout",
    store: (rows) => ({
      ...rows,
      record: async (deviceId, id, arrival) => {
        const isOpen = (await rows.toSend(id)) !== undefined;
        return isOpen ? await rows.record(deviceId, id, arrival) : undefined;
      },
    }),
  },
  {
    name: "a device that returns is not handed what waits",
    dispatcher: (dispatcher) => ({ ...dispatcher, deviceReachable: () => {} }),
  },
  {
    name: "a command that did not leave stays marked",
    needs: (needs) => ({ ...needs, executions: { ...needs.executions, unmarkAttempted: async () => {} } }),
  },
  {
    name: "a command that may have left is sent again",
    needs: (needs) => ({
      ...needs,
      channel: {
        ...needs.channel,
        send: async (deviceId, command) => {
          const handOver = await needs.channel.send(deviceId, command);
          return handOver === "unknown" ? "not_sent" : handOver;
        },
      },
    }),
  },
  {
    name: "an expired command is started",
    store: (rows) => ({
      ...rows,
      // The mark is given to an ended execution too.
      markAttempted: async (id) => {
        await rows.markAttempted(id);
        return true;
      },
      open: async (deviceId) => (await rows.open(deviceId)).map((one) => ({ ...one, attempted: false })),
    }),
  },
  {
    name: "the time of a response is the clock's, whatever came before",
    store: (rows) => ({
      ...rows,
      record: async (deviceId, id, arrival) => {
        const after = await rows.record(deviceId, id, arrival);
        return after?.response && { ...after, response: { ...after.response, receivedAt: arrival.at } };
      },
    }),
  },
  {
    name: "who waits hears of nothing",
    dispatcher: (dispatcher) => ({
      ...dispatcher,
      waitForEnd: (execution, ms, signal) =>
        dispatcher.waitForEnd({ ...execution, id: `not ${execution.id}` }, ms, signal),
    }),
  },
  {
    name: "what was acknowledged is not flushed, and a restart loses the latest",
    store: (rows, world) => {
      const stored = new Map<string, number>();
      const lost = new Set<string>();
      world.crashHooks.push(() => {
        for (const [id, at] of stored) if (at > world.clock.elapsed - 20) lost.add(id);
      });
      return {
        ...rows,
        insert: async (input, trail) => {
          stored.set(input.execution.id, world.clock.elapsed);
          return await rows.insert(input, trail);
        },
        open: async (page) => (await rows.open(page)).filter((one) => !lost.has(one.id)),
        find: async (deviceId, id, now) => (lost.has(id) ? undefined : await rows.find(deviceId, id, now)),
      };
    },
  },
];
