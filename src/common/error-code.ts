/** The driver's code of an error, wherever TypeORM has wrapped it. */
export function driverCode(error: unknown): string | undefined {
  const { code, driverError } = error as { code?: string; driverError?: { code?: string } };
  return driverError?.code ?? code;
}

export function errorCode(error: unknown): string {
  return driverCode(error) ?? (error as Error).name;
}
