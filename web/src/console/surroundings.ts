export interface Surroundings {
  timezone: string;
  /** The address under which websites reach the service. */
  base: string;
  attributesGeography: boolean;
}
