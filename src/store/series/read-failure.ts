// Carries the reason of a failure from a thread to the thread that called it.
import { AppError, type ErrorCode, refuse } from "#core/app-error.ts";
import { DamagedPiece, type StoredPlace } from "./checksum.ts";

export type ReadFailure =
  | { readonly place: StoredPlace }
  | { readonly code: ErrorCode; readonly message: string }
  | { readonly fault: string };

export function renderFailure(error: unknown): ReadFailure {
  if (error instanceof DamagedPiece) return { place: error.place };
  if (error instanceof AppError) return { code: error.code, message: error.message };
  return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

export function parseFailure(failure: ReadFailure): Error {
  if ("place" in failure) return new DamagedPiece(failure.place);
  return "code" in failure ? refuse(failure.code, failure.message) : new Error(`a query failed: ${failure.fault}`);
}
