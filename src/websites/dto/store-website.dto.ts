import { ApiProperty } from '@nestjs/swagger';
import { Field } from '../../common/fields';
import { normaliseDomain } from '../domain';
import { Privacy, type Switch } from '../website.entity';
import { UpdateWebsite } from './update-website.dto';

export class StoreWebsite extends UpdateWebsite {
  @Field({
    parse: normaliseDomain,
    required: true,
    api: {
      type: String,
      example: 'example.com',
      description:
        'Unique in the service. Case and a leading www. do not matter; it cannot be changed later.',
    },
  })
  domain!: string;

  @ApiProperty({ type: 'integer', default: Privacy.Private })
  override privacy: Privacy = Privacy.Private;

  @ApiProperty({ type: 'integer', default: 0 })
  override email: Switch = 0;

  @ApiProperty({ type: 'integer', default: 1 })
  override exclude_bots: Switch = 1;
}
