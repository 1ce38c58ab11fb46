import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ResourceController, resourcePath } from '../../websites/resources/resource.controller';
import { FUNNELS } from './funnels.resource';
import { FunnelsService } from './funnels.service';

@ApiTags('Funnels')
@Controller(resourcePath(FUNNELS.path))
export class FunnelsController extends ResourceController(FUNNELS, FunnelsService) {}
