// Each call is wrong in one way, and the compiler refuses it.
import { createClient } from "@busbar/client";
import type { Device as Converter } from "./converter.ts";

const client = createClient<{ pcs: Converter }>({ url: "http://127.0.0.1:8080" });
const pcs = client.device("pcs");

// @ts-expect-error there is no such device
client.device("psc");
// @ts-expect-error there is no such command
pcs.commands.set_pover({ power: 1 });
// @ts-expect-error a required argument is missing
pcs.commands.set_power({});
// @ts-expect-error no arguments at all
pcs.commands.set_power();
// @ts-expect-error the type of an argument
pcs.commands.set_power({ power: "5000" });
// @ts-expect-error not one of the values
pcs.commands.set_power({ power: 1, ramp: "quick" });
// @ts-expect-error no such argument
pcs.commands.set_power({ power: 1, rmap: "fast" });
// @ts-expect-error no such attribute
void pcs.telemetry.now("pover");
// @ts-expect-error no such bucket
void pcs.configuration.get("gird");
// @ts-expect-error the type of a parameter
void pcs.configuration.put("grid", { limit: "10" });
// @ts-expect-error no such state
void client.commands.list("pcs", { "state.in": ["DONE"] });
// @ts-expect-error pages are the business of all()
client.devices.list.all({ limit: 5 });
// @ts-expect-error no such level
void client.tokens.create({ name: "phone", level: "admin" });
