// The ways out of a script, one per kind of peer. The real ones are sockets and ports; the test harness has scripted
// ones. Whatever goes wrong is thrown as `ConnectionError`, and its text is what the script sees.
import type { PortSession } from "./port/port-request.ts";

export interface PeerConnections {
  /** Connects with the first request; the same endpoint is the same wire. */
  modbusTcp(host: string, port: number): ModbusConnection;
  http(request: HttpRequest): Promise<HttpAnswer>;
  /** Connects at once; the same address and options are the same wire. */
  mqtt(target: MqttTarget): MqttConnection;
  readonly ports: PortSession;
  close(): void;
}

export interface ModbusConnection {
  /** One protocol data unit there and one back, exceptions included. */
  request(unit: number, pdu: Uint8Array, timeoutMs: number): Promise<Uint8Array>;
  close(): void;
}

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | undefined;
  readonly timeoutMs: number;
  /** Takes any certificate. */
  readonly isInsecure: boolean;
  /** Cookies are kept from answer to request under this number. */
  readonly jar: number | undefined;
}

export interface HttpAnswer {
  readonly code: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

export interface MqttTarget {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly isInsecure: boolean;
  readonly clientId: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

export interface MqttMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
}

export interface MqttConnection {
  publish(message: MqttMessage & { readonly qos: 0 | 1; readonly retain: boolean }, timeoutMs: number): Promise<void>;
  subscribe(filter: string, qos: 0 | 1, timeoutMs: number): Promise<void>;
  unsubscribe(filter: string, timeoutMs: number): Promise<void>;
  /** What has arrived since the last call, oldest first, and how many were dropped for lack of room. */
  take(): { readonly messages: readonly MqttMessage[]; readonly dropped: number };
  isConnected(): boolean;
  close(): void;
}

/** `refused`: not allowed. `invalid`: the call makes no sense. `answer`: the peer says what it must not say. */
export type ConnectionErrorCode =
  | "refused"
  | "invalid"
  | "connection"
  | "timeout"
  | "busy"
  | "answer"
  | "exception"
  | "closed"
  | "unsupported";

export class ConnectionError extends Error {
  readonly code: ConnectionErrorCode;

  constructor(code: ConnectionErrorCode, message: string) {
    super(message);
    this.name = "ConnectionError";
    this.code = code;
  }
}
