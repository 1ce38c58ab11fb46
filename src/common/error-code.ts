interface CodedError {
  code?: string;
  errno?: number;
}

/** The driver's code of an error, or its number where the driver has no name for it; TypeORM may have wrapped it. */
export function driverCode(error: unknown): string | undefined {
  const { code, errno } = (error as { driverError?: CodedError }).driverError ?? (error as CodedError);
  return code ?? (errno === undefined ? undefined : `errno ${errno}`);
}

export function errorCode(error: unknown): string {
  return driverCode(error) ?? (error as Error).name;
}
