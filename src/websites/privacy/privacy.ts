export enum Privacy {
  Public = 0,
  Private = 1,
  Password = 2,
}
