// The connections of a script, one kind per kind of peer. The real ones are sockets and hardware ports; the test
// harness has scripted ones. Every failure is thrown as `ConnectionError`, and the script sees its text.
import type { PortSession } from "./port/port-request.ts";

export interface PeerConnections {
  /** Connects with the first request; the same endpoint gives the same connection. */
  modbusTcp(host: string, port: number): ModbusConnection;
  http(request: HttpRequest): Promise<HttpAnswer>;
  /** Connects at once; the same address and options give the same connection. */
  mqtt(target: MqttTarget): MqttConnection;
  readonly ports: PortSession;
  close(): void;
}

export interface ModbusConnection {
  /** Sends one protocol data unit and receives one, exceptions included. */
  request(unit: number, pdu: Uint8Array, timeoutMs: number): Promise<Uint8Array>;
  close(): void;
}

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | undefined;
  readonly timeoutMs: number;
  /** Accepts any certificate. */
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

/**
 * `refused`: not allowed. `missing`: nobody has configured such a port. `invalid`: the call makes no sense. `answer`: the peer sent an answer that it must not send.
 */
export type ConnectionErrorCode =
  | "refused"
  | "missing"
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
  /** The number of a Modbus exception. */
  readonly exception: number | undefined;

  constructor(code: ConnectionErrorCode, message: string, exception?: number) {
    super(message);
    this.name = "ConnectionError";
    this.code = code;
    this.exception = exception;
  }
}
