import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ResourceController, resourcePath } from '../../websites/resources/resource.controller';
import { GOALS } from './goals.resource';
import { GoalsService } from './goals.service';

@ApiTags('Goals')
@Controller(resourcePath(GOALS.path))
export class GoalsController extends ResourceController(GOALS, GoalsService) {}
