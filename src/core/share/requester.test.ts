import { expect, test } from "vitest";
import { requesterOf } from "./requester.ts";

test("a token has its own share wherever it calls from, and no address can take it", () => {
  expect(requesterOf({ tokenId: "t1" }, "10.0.0.1")).toEqual({ kind: "token", key: "token t1" });
  expect(requesterOf({ tokenId: "" }, "10.0.0.1")).toEqual({ kind: "address", key: "address 10.0.0.1" });
});
