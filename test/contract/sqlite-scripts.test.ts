import { describe } from "vitest";
import { makeEntry } from "../support/records.ts";
import { useRecords } from "../support/sqlite-records.ts";
import { scriptStoreContract } from "./script-store-contract.ts";

const sqlite = useRecords();

describe("storage of scripts in SQLite", () =>
  scriptStoreContract(async () => {
    const { scripts, devices } = await sqlite.emptied();
    const [{ deviceId }, { deviceId: otherId }] = [await sqlite.newDevice(), await sqlite.newDevice()];
    return { scripts, deviceId, otherId, delete: async (id) => void (await devices.delete(id, makeEntry())) };
  }));
