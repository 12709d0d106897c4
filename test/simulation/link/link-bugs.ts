// Bugs that somebody might make in the link or in the states of executions, one at a time.
import type { SubjectStores } from "#service/ports/record-store.ts";
import type { LinkBug } from "./link-world.ts";

type Executions = SubjectStores["executions"];
type Uplinks = SubjectStores["uplinks"];

const withExecutions =
  (change: (executions: Executions, stores: SubjectStores) => Partial<Executions>) => (stores: SubjectStores) => ({
    ...stores,
    executions: { ...stores.executions, ...change(stores.executions, stores) },
  });
const withUplinks = (change: (uplinks: Uplinks) => Partial<Uplinks>) => (stores: SubjectStores) => ({
  ...stores,
  uplinks: { ...stores.uplinks, ...change(stores.uplinks) },
});

export const LINK_BUGS: readonly LinkBug[] = [
  {
    name: "an order without an answer is taken for one that was not sent",
    cloudStores: withExecutions((real) => ({
      giveToOwner: async (id, isAnswered) => {
        if (isAnswered) return await real.giveToOwner(id, true);
        await real.unmarkAttempted(id);
        return undefined;
      },
      loseSight: async () => undefined,
    })),
  },
  {
    name: "the cloud lets an order time out that the gateway may have accepted",
    cloudStores: withExecutions((real) => ({
      expire: async (id, deadline) => {
        await real.unmarkAttempted(id);
        return await real.expire(id, deadline);
      },
      giveToOwner: async (id, isAnswered) => (isAnswered ? await real.giveToOwner(id, true) : undefined),
      loseSight: async (id) => ((await real.toSend(id)) === undefined ? await real.loseSight(id) : undefined),
    })),
  },
  {
    name: "the gateway does not keep the mark of an attempt",
    gatewayStores: withExecutions((real) => ({
      insert: (input, trail) => real.insert({ ...input, attempted: false }, trail),
      markAttempted: async (id) => (await real.toSend(id)) !== undefined,
    })),
  },
  {
    name: "a restored gateway sends what was open in the backup",
    caughtBy: 89,
    restored: (database) => database.run("UPDATE execution SET attempted = 0 WHERE is_open = 1"),
  },
  {
    name: "a restored gateway keeps its epoch",
    caughtBy: 24,
    restored: (database, epoch) => database.run("INSERT INTO epoch (id, epoch) VALUES (1, ?)", epoch),
    restoredSide: "gateway",
  },
  {
    name: "a restored cloud keeps its epoch",
    caughtBy: 61,
    restored: (database, epoch) => database.run("INSERT INTO epoch (id, epoch) VALUES (1, ?)", epoch),
    restoredSide: "cloud",
  },
  {
    name: "what a restored gateway does not know is ordered again",
    caughtBy: 89,
    cloud: (needs) => ({
      ...needs,
      dispatcher: { ...needs.dispatcher, lost: async (id) => void (await needs.dispatcher.returned(id)) },
    }),
  },
  {
    name: "what a restored gateway does not know stays open",
    caughtBy: 46,
    cloud: (needs) => ({ ...needs, dispatcher: { ...needs.dispatcher, lost: async () => {} } }),
  },
  {
    name: "the cloud notes a change as stored before it is",
    cloudStores: (stores) => ({
      ...stores,
      gateways: {
        ...stores.gateways,
        noteTaken: (id, seen) => stores.gateways.noteTaken(id, { ...seen, taken: seen.taken + 2 }),
      },
    }),
  },
  {
    name: "the cloud confirms an execution that it could not store",
    cloud: (needs, { random }) => ({
      ...needs,
      dispatcher: {
        ...needs.dispatcher,
        applyRemote: async (change) =>
          random() < 0.1 ? { kind: "known" } : await needs.dispatcher.applyRemote(change),
      },
    }),
  },
  {
    name: "a cut does not make executions UNSYNC",
    cloudStores: withExecutions(() => ({ loseSight: async () => undefined })),
  },
  {
    name: "an order without an answer is not asked for after the next connection",
    cloudStores: withExecutions((real) => ({
      ownedElsewhere: async (siteId, after, limit) =>
        (await real.ownedElsewhere(siteId, after, limit)).filter(({ revision }) => revision > 0),
    })),
  },
  {
    name: "the cloud confirms points that it could not store",
    cloud: (needs, { random }) => ({
      ...needs,
      telemetry: {
        ...needs.telemetry,
        append: async (points) => (random() < 0.3 ? undefined : await needs.telemetry.append(points)),
      },
    }),
  },
  {
    name: "a response between two others is left out",
    gatewayStores: withExecutions((real) => ({
      changesAfter: async (cursor, limit) => {
        const page = await real.changesAfter(cursor, limit);
        const changes = page.changes.map((change) => ({
          ...change,
          responses: change.responses.filter((_, at, all) => all.length < 3 || at !== 1),
        }));
        return { ...page, changes };
      },
    })),
  },
  {
    name: "changes of properties are not sent",
    gatewayStores: withUplinks((real) => ({
      changesAfter: async (number, limit) => {
        const page = await real.changesAfter(number, limit);
        return { ...page, keys: page.keys.filter(({ kind }) => kind !== "properties") };
      },
    })),
  },
  {
    name: "the first change after the confirmed one is skipped",
    gatewayStores: withExecutions((real) => ({
      changesAfter: (cursor, limit) => real.changesAfter(cursor + 1, limit),
    })),
  },
  {
    name: "two nodes talk to a gateway at once",
    cloud: (needs) => ({
      ...needs,
      nodes: {
        ...needs.nodes,
        claim: async () => ({ lost: new AbortController().signal, release: async () => {} }),
      },
    }),
  },
  {
    name: "a node does not hear that it has lost its claim",
    caughtBy: 437,
    cloud: (needs) => ({
      ...needs,
      nodes: {
        ...needs.nodes,
        claim: async (name) => {
          const claim = await needs.nodes.claim(name);
          return claim && { ...claim, lost: new AbortController().signal };
        },
      },
    }),
  },
  {
    name: "a gateway does not keep the credential before the present one",
    caughtBy: 226,
    gatewayStores: withUplinks((real) => ({
      get: async () => {
        const uplink = await real.get();
        return uplink && { ...uplink, formerCredential: undefined };
      },
    })),
  },
];
