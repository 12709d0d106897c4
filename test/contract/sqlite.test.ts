import { describe } from "vitest";
import { useRecords } from "../support/sqlite-records.ts";
import { damagedInterlockContract } from "./damaged-interlock-contract.ts";
import { recordStoreContract } from "./record-store-contract.ts";

const { emptied, rows } = useRecords();

describe("records in SQLite", () => recordStoreContract(emptied));
describe("damaged interlocks in SQLite", () => damagedInterlockContract(emptied, rows));
