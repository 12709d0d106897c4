// A site with one MQTT device that does what the test says, for the screens of commands, alerts and configuration.
import { afterAll, beforeAll } from "vitest";
import type { Site } from "#client/resources.ts";
import { connectFakeDevice, type FakeDevice, type FakeDeviceConfig } from "../../support/fake-device.ts";
import type { TestServer } from "../../support/server.ts";

export interface FakeSite {
  readonly site: string;
  readonly id: string;
  readonly device: FakeDevice;
}

const MANIFEST = `blueprint_spec: device/3.0
display_name: Test rig
runtime: {type: embedded}
telemetry:
  pressure: {type: float, unit: bar, display_name: Pressure}
  inner_counter: {type: float, display_name: Inner counter, access_level: installer}
command_groups:
  operation: {display_name: Operation, description: Daily work, ui: {icon: play-circle}}
  service: {display_name: Service}
commands:
  set_pressure:
    group: operation
    display_name: Set the pressure
    populate_values_command: read_pressure
    arguments:
      pressure: {type: float, unit: bar, min: 1, max: 35, required: true, display_name: Target}
      mode:
        type: string
        display_name: Mode
        default: slow
        enum:
          slow: {display_name: Slowly, description: Takes an hour}
          fast: {display_name: Fast, description: Is loud}
    response:
      reached: {type: float, unit: bar, display_name: Reached}
  read_pressure:
    group: operation
    display_name: Read the pressure
    access_level: readonly
    response:
      pressure: {type: float, unit: bar, display_name: Pressure}
  vent:
    group: service
    display_name: Vent
    access_level: installer
    ui: {icon: pipe-valve, quick_access: true}
    confirmation: {severity: warning, title: Open the valve?, description: Nobody may stand beside it.}
  everything:
    group: service
    display_name: Everything
    arguments:
      name: {type: string, required: true, display_name: Name}
      count: {type: integer, min: 1, max: 10, display_name: Count}
      ratio: {type: float, display_name: Ratio}
      flag: {type: boolean, display_name: Flag}
      tags: {type: array_of_strings, display_name: Tags}
      colours: {type: array_of_strings, enum: [red, green], display_name: Colours}
      plan:
        type: json
        display_name: Plan
        json_schema: '{"type":"object","required":["power"],"properties":{"power":{"type":"number"}}}'
      host: {type: string, format: ipv4, display_name: Host}
      pin: {type: string, sensitive: true, display_name: PIN}
alerts:
  too_high:
    severity: warning
    display_name: Pressure too high
    description: The vessel holds more than it should.
    code: P-17
    grace_period: 1h
    troubleshooting: [Close the inlet., Wait until the gauge falls.]
    telemetry: [pressure]
configuration:
  link:
    display_name: Link
    access_level: owner
    parameters:
      address: {type: string, format: ipv4, required: true, display_name: Address}
      password: {type: string, sensitive: true, display_name: Password}
`;

export function useFakeSite(busbar: TestServer): FakeSite {
  let site = "";
  let id = "";
  let device: FakeDevice | undefined;
  beforeAll(async () => {
    const { admin } = busbar;
    site = (await admin.post<{ site: Site }>("/v3/sites", { name: "Yard" })).body.site.id;
    const uploaded = await admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", {
      bytes: MANIFEST,
    });
    const body = { name: "Rig", site_id: site, blueprint_id: uploaded.body.blueprint.id };
    id = (await admin.post<{ device_id: string }>("/v3/provisioning/standalone", body)).body.device_id;
    const { config } = (
      await admin.post<{ config: FakeDeviceConfig }>(`/v3/devices/${id}/generate_config`, { protocol: "MQTT" })
    ).body;
    device = await connectFakeDevice(config);
    await device.sendProperties({});
    await device.sendTelemetry({ pressure: 12.5, alerts: [] });
  });
  afterAll(async () => {
    await device?.close();
  });
  return {
    get site() {
      return site;
    },
    get id() {
      return id;
    },
    get device() {
      if (device === undefined) throw new Error("the device is connected before the tests");
      return device;
    },
  };
}
