import { ApiProperty, ApiSchema } from '@nestjs/swagger';

@ApiSchema({ description: 'A report that is on its way.' })
export class SentReportView {
  @ApiProperty({
    type: [String],
    example: ['owner@example.com', 'team@example.com'],
    description: 'The addresses that it is sent to.',
  })
  recipients!: string[];

  @ApiProperty({ format: 'date', example: '2026-03-02', description: 'The first day of the report.' })
  from!: string;

  @ApiProperty({ format: 'date', example: '2026-03-08', description: 'Its last day.' })
  to!: string;
}
