"""Somebody's address for mail: theirs once they have typed the code that was sent there."""

from typing import Any

from allauth.account.forms import AddEmailForm
from allauth.account.internal.flows.manage_email import add_email, delete_email, sync_user_email_address
from allauth.account.models import EmailAddress
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _
from django.views.generic.edit import FormView

from accounts.http.again import asks_again
from accounts.selectors.addressees import mails_are_on


@method_decorator([login_required, asks_again], name="dispatch")
class AddressView(FormView[Any]):
    """The address an account has, and a form for another one, which is the account's after the code in the mail."""

    form_class = AddEmailForm
    template_name = "account/email.html"
    success_url = reverse_lazy("account_email_verification_sent")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Take over what the administrator wrote down before there were verified addresses."""
        assert isinstance(request.user, User)
        sync_user_email_address(request.user)
        return super().dispatch(request, *args, **kwargs)

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"user": self.request.user}

    def get_form(self, form_class: type[Any] | None = None) -> Any:
        form = super().get_form(form_class)
        form.fields["email"].label = _("E-mail address")
        form.fields["email"].widget.attrs = {"autocomplete": "email"}
        return form

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        address = EmailAddress.objects.filter(user=self.request.user).order_by("-verified", "pk").first()
        return super().get_context_data(**kwargs) | {"address": address, "sends_mail": mails_are_on()}

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Take an address away, send the code once more, or begin with another address."""
        if "remove" in request.POST:
            return self._remove()
        if not mails_are_on():
            return redirect("account_email")
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        add_email(self.request, form)
        return super().form_valid(form)

    def _remove(self) -> HttpResponse:
        for address in EmailAddress.objects.filter(user=self.request.user).order_by("primary"):
            delete_email(self.request, address)
        return redirect("account_email")
