import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ResourceController, resourcePath } from '../../websites/resources/resource.controller';
import { GOALS } from './goals.resource';
import { GoalsService } from './goals.service';
import { ReadsBody } from '../../http/requests/routes';

@ApiTags('Goals')
@Controller(resourcePath(GOALS.path))
@ReadsBody('goal')
export class GoalsController extends ResourceController(GOALS, GoalsService) {}
