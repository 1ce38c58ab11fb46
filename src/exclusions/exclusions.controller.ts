import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ResourceController, resourcePath } from '../websites/resources/resource.controller';
import { EXCLUSIONS } from './exclusions.resource';
import { ExclusionsService } from './exclusions.service';

@ApiTags('Exclusions')
@Controller(resourcePath(EXCLUSIONS.path))
export class ExclusionsController extends ResourceController(EXCLUSIONS, ExclusionsService) {}
