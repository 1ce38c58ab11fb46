import { OmitType } from '@nestjs/swagger';
import { PageQuery } from '../../validation/page-query';

/** The latest first. */
export class ListFirings extends OmitType(PageQuery, ['sort']) {}
