import { describe } from "vitest";
import { useRecords } from "../support/sqlite-records.ts";
import { auditStoreContract } from "./audit-store-contract.ts";
import { blueprintStoreContract } from "./blueprint-store-contract.ts";
import { deviceStoreContract } from "./device-store-contract.ts";
import { siteStoreContract } from "./site-store-contract.ts";
import { tokenStoreContract } from "./token-store-contract.ts";

const { emptied } = useRecords();
const open = async () => ({ ...(await emptied()), close: async () => {} });

describe("sites in SQLite", () => siteStoreContract(open));
describe("devices in SQLite", () => deviceStoreContract(open));
describe("blueprints in SQLite", () => blueprintStoreContract(open));
describe("tokens in SQLite", () => tokenStoreContract(open));
describe("the audit log in SQLite", () => auditStoreContract(open));
