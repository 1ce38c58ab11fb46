interface CodedError {
  code?: string;
  errno?: number;
}

/** The driver's error code, or its number if it has no name. TypeORM may have wrapped the error. */
export function driverCode(error: unknown): string | undefined {
  const { code, errno } = (error as { driverError?: CodedError }).driverError ?? (error as CodedError);
  return code ?? (errno === undefined ? undefined : `errno ${errno}`);
}

export function errorCode(error: unknown): string {
  return driverCode(error) ?? (error as Error).name;
}
