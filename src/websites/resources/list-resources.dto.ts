import { OmitType } from '@nestjs/swagger';
import { PageQuery } from '../../validation/page-query';
import { IfSent, IsSearchText } from '../../validation/rules';

/** A list of a website's resources, whose order is fixed. */
export class ListResources extends OmitType(PageQuery, ['sort']) {
  @IfSent()
  @IsSearchText('Shows those whose name contains this text; case is ignored.')
  search?: string;
}
