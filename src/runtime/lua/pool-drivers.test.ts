// Scripts in real threads of the pool with real drivers.
import { expect, onTestFinished, test } from "vitest";
import { createLiveRules } from "#drivers/live-rules.ts";
import { createPortHub } from "#drivers/port-hub.ts";
import { reachRules, simulatedPorts } from "../../../test/support/drivers.ts";
import { collectingPool } from "../../../test/support/lua-pool.ts";
import { startModbusServer } from "../../../test/support/modbus-server.ts";

function poolWithDrivers(...allow: readonly string[]) {
  const simulated = simulatedPorts();
  const hub = createPortHub({ machine: [], simulated });
  const onBug = (error: unknown) => {
    throw error;
  };
  const collected = collectingPool({
    threads: 2,
    drivers: { hub, allow: createLiveRules(reachRules(...allow)), onBug },
  });
  onTestFinished(async () => {
    await collected.pool.close();
    hub.close();
  });
  return { ...collected, simulated };
}

test("a script reads its device over Modbus TCP, each device under its own rules", async () => {
  const server = await startModbusServer();
  server.unit(1).holdings.set(0, 2305);
  const { start, until } = poolWithDrivers(`meter=127.0.0.1:${server.port}`);
  const script = `
    local client = modbus.new('tcp://127.0.0.1:${server.port}')
    scheduler.add(20, function()
      local data, err = client:read_holdings(1, 0, 1, 1000)
      enapter.send_telemetry({ voltage = data and data[1] / 10, error = err })
    end)`;
  await start("meter", script);
  await start("other", script);
  expect(await until(/^meter telemetry/)).toBe('meter telemetry {"voltage":230.5}');
  expect(await until(/^other telemetry/)).toContain("is not allowed for this device");
});

test("a device that waits for its peer does not keep its neighbours waiting", async () => {
  const { start, until } = poolWithDrivers();
  await start("slow", "serial.new('port://rs232'):read(1, 5000)");
  await start("quick", "scheduler.add(5, function() enapter.log('tick') end)");
  expect(await until(/^quick info: tick/)).toBeDefined();
});

test("a script that is stopped gives back the port that it held", async () => {
  const { start, until, pool } = poolWithDrivers();
  const hold = (name: string) => `serial.new('port://rs232'):transaction(function()
    enapter.log('${name} has it')
    system.delay(4500)
  end)`;
  await start("one", hold("one"));
  await until(/one has it/);
  await start("two", hold("two"));
  pool.stop("one");
  expect(await until(/two has it/)).toBe("two info: two has it");
});
