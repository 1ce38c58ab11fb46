import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ResourceController, resourcePath } from '../websites/resources/resource.controller';
import { ANNOTATIONS } from './annotations.resource';
import { AnnotationsService } from './annotations.service';

@ApiTags('Annotations')
@Controller(resourcePath(ANNOTATIONS.path))
export class AnnotationsController extends ResourceController(ANNOTATIONS, AnnotationsService) {}
