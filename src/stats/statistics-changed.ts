import { Problem } from '../common/problem';

export class StatisticsChanged extends Problem {
  constructor() {
    super(503, 'statistics_changed', 'Hits were removed or sealed meanwhile. Ask again.', {
      retryAfterSeconds: 1,
    });
  }
}
