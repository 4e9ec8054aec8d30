"""`POST /api/feedback`: whether an answer helped."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from bythebook.web.dependencies import DeskNow, json_only
from bythebook.web.errors import json_response
from bythebook.web.feedback import Feedback
from bythebook.web.openapi import errors

router = APIRouter(tags=["feedback"])


class FeedbackRequest(BaseModel):
    """What a reader says of an answer: no more than this, lest the answer come along."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"request_id": "550e8400-e29b-41d4-a716-446655440000", "helpful": True}
        }
    )

    request_id: UUID
    helpful: bool = Field(strict=True)


class Accepted(BaseModel):
    """That it was heard."""

    request_id: UUID
    status: str = "accepted"


@router.post(
    "/api/feedback",
    status_code=202,
    summary="Say whether an answer helped",
    response_model=Accepted,
    responses=errors(413, 415, 422, 429),
    dependencies=[Depends(json_only)],
)
async def feedback(body: FeedbackRequest, desk: DeskNow) -> Response:
    """Take what a reader says of the answer with this request id."""
    await desk.feedback.take(Feedback(**body.model_dump()))
    return json_response(Accepted(request_id=body.request_id), 202)
