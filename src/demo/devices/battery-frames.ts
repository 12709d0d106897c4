// The battery on the CAN bus: what it sends every second, and what it listens to. Numbers have their lowest byte first.

import type { Attributes } from "#demo/devices/register-map.ts";
import { type Battery, CAPACITY_KWH, cellVoltage, packVoltage } from "#demo/plant/battery.ts";
import type { Plant } from "#demo/plant/plant.ts";

export interface CanFrame {
  readonly id: number;
  readonly data: Uint8Array;
}

const STATUSES = ["standby", "charging", "discharging", "balancing", "reserve", "fault"] as const;
/** Serial numbers, in the order of their places. */
const MODULES = ["M-118", "M-121", "M-122", "M-140"];
/** An order that is not repeated for so long is void. */
const ORDER_MS = 10_000;
const OPEN_MS = 5 * 60_000;

/** Never -0. */
const rounded = (value: number, per: number) => Math.round(value * per) / per + 0;
const lowestCell = ({ battery }: Plant) => Math.round(cellVoltage(battery.soc));
const highestCell = (plant: Plant) => lowestCell(plant) + Math.round(plant.battery.spread);
const volts = ({ battery }: Plant) => rounded(packVoltage(battery.soc), 10);
const amps = ({ battery }: Plant) => rounded(battery.power / packVoltage(battery.soc), 10);

export function batteryFrames(plant: Plant): readonly CanFrame[] {
  const { battery } = plant;
  const contactors = battery.openUntil === 0 ? 0b011 : 0;
  return [
    frame(0x351, (data) => {
      data.setUint16(0, Math.round(battery.maxCharge / 10), true);
      data.setUint16(2, Math.round(battery.maxDischarge / 10), true);
      data.setUint16(4, CAPACITY_KWH * 10, true);
    }),
    frame(0x355, (data) => {
      data.setUint16(0, Math.round(battery.soc * 100), true);
      data.setUint16(2, 9_840, true);
      data.setUint8(4, STATUSES.indexOf(battery.status));
      data.setUint8(5, contactors);
      // Bit 0: a module does not answer.
      data.setUint8(6, 0);
    }),
    frame(0x356, (data) => {
      data.setUint16(0, Math.round(volts(plant) * 10), true);
      data.setInt16(2, Math.round(amps(plant) * 10), true);
      data.setInt16(4, Math.round(battery.temperature * 10), true);
    }),
    frame(0x357, (data) => {
      data.setInt32(0, Math.round(battery.power), true);
      data.setUint16(4, lowestCell(plant), true);
      data.setUint16(6, highestCell(plant), true);
    }),
    frame(0x358, (data) => {
      data.setUint32(0, Math.round(battery.throughput * 10), true);
      data.setUint32(4, Math.round(battery.cycles * 100), true);
    }),
    textFrame(0x35e, "Speicher"),
    textFrame(0x35f, "SP-80"),
    textFrame(0x360, "SP80-412"),
    ...MODULES.map((serial, at) => textFrame(0x370 + at, serial)),
  ];
}

/** The plant after a frame from the bus; the same one when the frame is not for the battery, or makes no sense. */
export function takeBatteryFrame(plant: Plant, { id, data }: CanFrame): Plant {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const change =
    id === 0x305 && data.length >= 8 ? order(view, plant.at) : id === 0x307 ? service(data[0], plant.at) : undefined;
  return change === undefined ? plant : { ...plant, battery: { ...plant.battery, ...change } };
}

/** i32 set point in W, u8 whether it counts, u8 reserve, u8 lowest and u8 highest charge in %; bit 7 of the second: may charge from the grid. */
function order(view: DataView, at: number): Partial<Battery> {
  return {
    setPoint: view.getInt32(0, true),
    orderUntil: (view.getUint8(4) & 1) === 1 ? at + ORDER_MS : 0,
    gridCharging: (view.getUint8(4) & 2) === 2,
    reserve: Math.min(100, view.getUint8(5)),
    socMin: Math.min(50, view.getUint8(6)),
    socMax: Math.min(100, Math.max(50, view.getUint8(7))),
  };
}

/** 1 balances the cells, 2 opens the contactors; some minutes later somebody at the battery closes them. */
function service(word: number | undefined, at: number): Partial<Battery> | undefined {
  if (word === 1) return { isBalancing: true };
  return word === 2 ? { openUntil: at + OPEN_MS } : undefined;
}

function frame(id: number, fill: (data: DataView) => void): CanFrame {
  const data = new Uint8Array(8);
  fill(new DataView(data.buffer));
  return { id, data };
}

function textFrame(id: number, text: string): CanFrame {
  return { id, data: Uint8Array.from({ length: 8 }, (_, n) => text.charCodeAt(n) || 0) };
}

export const batteryAttributes: Attributes = {
  status: ({ battery }) => battery.status,
  alerts: (plant) => JSON.stringify(highestCell(plant) - lowestCell(plant) > 80 ? ["cell_imbalance"] : []),
  mode: () => "self_consumption",
  battery_soc: ({ battery }) => rounded(battery.soc, 100),
  battery_soh: () => 98.4,
  battery_power: ({ battery }) => rounded(battery.power, 1),
  battery_voltage: volts,
  battery_current: amps,
  battery_temperature: ({ battery }) => rounded(battery.temperature, 10),
  battery_max_charge_power: ({ battery }) => Math.round(battery.maxCharge / 10) * 10,
  battery_max_discharge_power: ({ battery }) => Math.round(battery.maxDischarge / 10) * 10,
  cell_voltage_min: lowestCell,
  cell_voltage_max: highestCell,
  charge_throughput: ({ battery }) => rounded(battery.throughput, 10),
  full_cycles: ({ battery }) => rounded(battery.cycles, 100),
  contactors: ({ battery }) => (battery.openUntil === 0 ? '["main_plus","main_minus"]' : "[]"),
};
