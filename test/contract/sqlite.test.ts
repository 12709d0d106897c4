import { describe } from "vitest";
import { useRecords } from "../support/sqlite-records.ts";
import { recordStoreContract } from "./record-store-contract.ts";

const { emptied } = useRecords();

describe("records in SQLite", () => recordStoreContract(emptied));
