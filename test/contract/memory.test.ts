// The stores in memory that other tests use instead of a database keep the same contracts.
import { describe } from "vitest";
import { createFakeAttempts } from "../support/fake-attempts.ts";
import { createMemoryAlerts } from "../support/memory-alerts.ts";
import { createMemoryBulks } from "../support/memory-bulks.ts";
import { createMemoryExecutions } from "../support/memory-executions.ts";
import { createMemoryOutbox } from "../support/memory-outbox.ts";
import { newId } from "../support/records.ts";
import { alertStoreContract } from "./alert-store-contract.ts";
import { attemptStoreContract } from "./attempt-store-contract.ts";
import { bulkStoreContract } from "./bulk-store-contract.ts";
import { eventOutboxContract } from "./event-outbox-contract.ts";
import { executionChangesContract } from "./execution-changes-contract.ts";
import { executionStoreContract } from "./execution-store-contract.ts";

describe("alerts in memory", () => {
  alertStoreContract(async () => {
    const sites = new Map<string, string>();
    const device = async (siteId = newId()) => {
      const deviceId = newId();
      sites.set(deviceId, siteId);
      return { siteId, deviceId };
    };
    return { alerts: createMemoryAlerts((id) => sites.get(id)), device };
  });
});

describe("attempts to sign in, in memory", () =>
  attemptStoreContract(async () => ({ attempts: createFakeAttempts() })));

describe("bulk commands in memory", () => bulkStoreContract(async () => ({ bulks: createMemoryBulks() })));

describe("the outbox in memory", () => eventOutboxContract(async () => createMemoryOutbox()));

describe("executions in memory", () => {
  const open = async () => ({
    executions: createMemoryExecutions(),
    device: async (siteId = newId()) => ({ siteId, deviceId: newId() }),
  });
  executionStoreContract(open);
  executionChangesContract(open);
});
