// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

import {AgentWallet} from "../src/AgentWallet.sol";
import {IAgentWallet} from "../src/IAgentWallet.sol";
import {PayoutEscrow} from "../src/PayoutEscrow.sol";
import {SendWindow} from "../src/SendWindow.sol";
import {UsdcStandIn} from "../src/usdc/UsdcStandIn.sol";
import {Base} from "./base/Base.sol";
import {Vm} from "./base/Vm.sol";
import {GasBurner, ReentrantToken} from "./mocks/Hostile.sol";

/// @dev Scenarios in which earlier designs lost, stranded or miscounted money, numbered as in CHECKLIST.md.
contract ThreatsTest is Base {
    uint256 private constant NEW = 0x11e3;

    /// @dev A rotation clears `seen`, so a send before it is proved only by the nonce log next to the Transfer. An
    /// owner's withdrawal of the same amount to the same recipient has no nonce log.
    function test_A1_rotationErasesSeen_butTheNonceLogProvesThePayment() public {
        vm.recordLogs();
        send(RECIPIENT, 5e6, nonceOf(1, 5));
        rotate(NEW, LIMIT, VALID_UNTIL, 1);
        vm.prank(vm.addr(OWNER));
        wallet.withdraw(address(usdc), RECIPIENT, 5e6);
        vm.assertEq(wallet.state().seen, 0);

        Vm.Log[] memory logs = vm.getRecordedLogs();
        uint256 proofs;
        uint256 transfers;
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].emitter == address(usdc)) transfers += 1;
            if (logs[i].emitter != address(wallet) || logs[i].topics.length != 1) continue;
            proofs += 1;
            vm.assertEq(uint256(logs[i].topics[0]), nonceOf(1, 5));
            vm.assertEq(logs[i + 1].emitter, address(usdc));
        }
        vm.assertEq(transfers, 2);
        vm.assertEq(proofs, 1);
    }

    /// @dev Once the window has moved past a nonce, `seen` no longer records whether it was used. It is refused
    /// permanently.
    function test_A3_send_reverts_whenTheWindowHasPassedTheNonce() public {
        for (uint32 i = 1; i <= 200; ++i) {
            send(RECIPIENT, 1, nonceOf(1, i));
        }
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 1, nonceOf(1, 0), DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(SendWindow.NonceUnusable.selector, nonceOf(1, 0), nonceOf(1, 200)));
        wallet.send(RECIPIENT, 1, nonceOf(1, 0), DEADLINE, r, vs);
    }

    function test_A5_aPendingRotation_doesNotUndoARevocation() public {
        (bytes32 r, bytes32 vs) = signRotate(OPERATOR, address(wallet), vm.addr(NEW), LIMIT, 0, VALID_UNTIL, 1, DEADLINE);
        vm.prank(vm.addr(OWNER));
        wallet.revokeSession();
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.SessionRevoked.selector));
        wallet.rotateSessionKey(vm.addr(NEW), LIMIT, 0, VALID_UNTIL, 1, DEADLINE, r, vs);

        vm.prank(vm.addr(OWNER));
        wallet.setSession(vm.addr(SESSION), LIMIT, 0, VALID_UNTIL);
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.WrongEpoch.selector, 1, 3));
        wallet.rotateSessionKey(vm.addr(NEW), LIMIT, 0, VALID_UNTIL, 1, DEADLINE, r, vs);
    }

    function test_A5_aPendingOwnerSignature_isInvalidatedByADirectRevoke() public {
        (bytes32 r, bytes32 vs) = signSetSession(OWNER, address(wallet), vm.addr(NEW), LIMIT, 0, VALID_UNTIL, 0, DEADLINE);
        vm.prank(vm.addr(OWNER));
        wallet.revokeSession();
        bytes memory data =
            abi.encodeCall(AgentWallet.setSessionBySig, (vm.addr(NEW), LIMIT, 0, VALID_UNTIL, DEADLINE, r, vs));
        vm.assertFalse(attempt(STRANGER, address(wallet), data), "the session is back");
        vm.assertTrue(wallet.state().sessionRevoked, "not revoked");
    }

    function test_A5_aSignedRevoke_worksAfterTheProviderRotatesFirst() public {
        (bytes32 r, bytes32 vs) = signRevokeSession(OWNER, address(wallet), 0, DEADLINE);
        rotate(NEW, LIMIT, VALID_UNTIL, 1);
        wallet.revokeSessionBySig(DEADLINE, r, vs);
        vm.assertTrue(wallet.state().sessionRevoked, "not revoked");
    }

    /// @dev A Worker restored from a backup might sign a different payment with a used nonce.
    function test_A8_aNonceExecutesOnePaymentOnly() public {
        send(RECIPIENT, 5, nonceOf(1, 5));
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), STRANGER, 9, nonceOf(1, 5), DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(SendWindow.NonceUnusable.selector, nonceOf(1, 5), nonceOf(1, 5)));
        wallet.send(STRANGER, 9, nonceOf(1, 5), DEADLINE, r, vs);
    }

    /// @dev A claim by a blacklisted recipient, then a reclaim, then new funding: the old signature has expired by
    /// then.
    function test_A9_aClaimSignatureExpires() public {
        PayoutEscrow.Terms memory terms = someTerms();
        address vault = escrow.payoutAddress(terms);
        mint(vault, terms.amount);
        (bytes32 r, bytes32 vs) =
            signClaim(CLAIM, address(escrow), escrow.payoutId(terms), RECIPIENT, terms.amount, DEADLINE);
        bytes memory data = abi.encodeCall(PayoutEscrow.claim, (terms, RECIPIENT, terms.amount, DEADLINE, r, vs));
        setBlacklisted(RECIPIENT, true);
        vm.assertFalse(attempt(STRANGER, address(escrow), data), "paid a blacklisted account");
        reclaim(terms, terms.amount);
        setBlacklisted(RECIPIENT, false);
        vm.assertFalse(attempt(STRANGER, address(escrow), data), "claimed what was reclaimed");
        mint(vault, terms.amount);
        vm.warp(DEADLINE + 1);
        vm.assertFalse(attempt(STRANGER, address(escrow), data), "the signature outlived its deadline");
    }

    /// @dev Without our servers, the owner finds the terms in the announcement and reclaims the money with a direct
    /// call.
    function test_B1_aPayoutIsRecovered_fromChainDataAlone() public {
        PayoutEscrow.Terms memory terms = someTerms();
        vm.recordLogs();
        send(escrow.payoutAddress(terms), terms.amount, nonceOf(1, 0));
        escrow.announce(terms);

        Vm.Log[] memory logs = vm.getRecordedLogs();
        Vm.Log memory log = logs[logs.length - 1];
        PayoutEscrow.Terms memory found;
        found.payer = address(uint160(uint256(log.topics[2])));
        (found.claimKey, found.reclaimKey, found.amount, found.expiry) =
            abi.decode(log.data, (address, address, uint64, uint48));
        vm.assertEq(escrow.payoutId(found), log.topics[1]);
        vm.prank(vm.addr(OWNER));
        wallet.reclaimPayout(found);
        vm.assertEq(usdc.balanceOf(address(wallet)), FUNDS);
    }

    /// @dev C2: a stranger can add money to a payout. The sweep returns all of it, so only the ledger knows how much of
    /// it was held.
    function test_C2_aPayoutWithAddedMoney_isReturnedInFull() public {
        PayoutEscrow.Terms memory terms = someTerms();
        terms.amount = 1e6;
        send(escrow.payoutAddress(terms), 1e6, nonceOf(1, 0));
        mint(escrow.payoutAddress(terms), 1_000e6);
        reclaim(terms, 1e6);
        vm.assertEq(usdc.balanceOf(address(wallet)), uint256(FUNDS) + 1_000e6);
        vm.assertEq(wallet.state().remaining, LIMIT - 1e6, "a reclaim must not raise the session's budget");
    }

    /// @dev A hostile key can use up its own nonces and budget. The next session starts fresh, and no action is
    /// blocked.
    function test_hostileSessionKey_affectsOnlyItsOwnSession() public {
        send(RECIPIENT, 1, nonceOf(1, type(uint32).max));
        rotate(NEW, LIMIT, VALID_UNTIL, 1);
        uint48 deadline = DEADLINE;
        send(NEW, RECIPIENT, 1, nonceOf(2, 0), deadline);
        vm.prank(vm.addr(OWNER));
        wallet.setSession(vm.addr(SESSION), LIMIT, 0, VALID_UNTIL);
        send(RECIPIENT, 1, nonceOf(3, 0));
    }

    /// @dev The owner may withdraw any token. A token that calls back cannot make anything happen twice.
    function test_reentrantToken_gainsNothing() public {
        ReentrantToken token = new ReentrantToken(wallet);
        (bytes32 r, bytes32 vs) = signWithdraw(OWNER, address(wallet), address(token), RECIPIENT, 1, 0, DEADLINE);
        bytes memory data = abi.encodeCall(AgentWallet.withdrawBySig, (address(token), RECIPIENT, 1, DEADLINE, r, vs));
        token.arm(data);
        vm.assertTrue(attempt(STRANGER, address(wallet), data), "refused");
        vm.assertTrue(token.called() && !token.succeeded(), "re-entered with the same signature");

        token.arm(abi.encodeCall(AgentWallet.withdraw, (address(usdc), address(token), 1)));
        vm.prank(vm.addr(OWNER));
        wallet.withdraw(address(token), RECIPIENT, 1);
        vm.assertFalse(token.succeeded(), "re-entered as owner");
        vm.assertEq(wallet.state().ownerNonce, 2);
    }

    /// @dev A send that executes during the owner's withdrawal of another token counts as usual.
    function test_reentrantToken_withASend_isCounted() public {
        ReentrantToken token = new ReentrantToken(wallet);
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 5, nonceOf(1, 0), DEADLINE);
        token.arm(abi.encodeCall(AgentWallet.send, (RECIPIENT, 5, nonceOf(1, 0), DEADLINE, r, vs)));
        for (uint256 i = 0; i < 2; ++i) {
            vm.prank(vm.addr(OWNER));
            wallet.withdraw(address(token), RECIPIENT, 1);
            vm.assertEq(token.succeeded(), i == 0);
        }
        vm.assertEq(wallet.state().remaining, LIMIT - 5);
    }

    /// @dev Circle may replace its code. If the new code reverts, nonces, payouts and sessions do not change.
    function test_usdcUpgrade_thatReverts_leavesTheStateUnchanged() public {
        PayoutEscrow.Terms memory terms = someTerms();
        mint(escrow.payoutAddress(terms), terms.amount);
        bytes32 implementation = vm.load(address(usdc), implementationSlot());
        vm.store(address(usdc), implementationSlot(), bytes32(uint256(uint160(address(new GasBurner())))));

        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 5, nonceOf(1, 0), DEADLINE);
        bytes memory data = abi.encodeCall(AgentWallet.send, (RECIPIENT, 5, nonceOf(1, 0), DEADLINE, r, vs));
        vm.prank(STRANGER);
        (bool success,) = address(wallet).call{gas: 200_000}(data);
        vm.assertFalse(success, "sent");
        (success,) = address(escrow).call{gas: 300_000}(abi.encodeCall(PayoutEscrow.reclaim, (terms, 1, 0, 0, 0)));
        vm.assertFalse(success, "reclaimed");

        vm.store(address(usdc), implementationSlot(), implementation);
        vm.assertEq(wallet.state().seen, 0);
        vm.assertTrue(attempt(STRANGER, address(wallet), data), "refused afterwards");
        claim(terms, STRANGER, terms.amount);
    }

    /// @dev A session can send only USDC. The owner can withdraw any other token sent to the wallet.
    function test_otherTokens_canBeWithdrawnByTheOwner() public {
        UsdcStandIn other = deployUsdc();
        vm.prank(ADMIN);
        other.mint(address(wallet), 9);
        vm.prank(vm.addr(OWNER));
        wallet.withdraw(address(other), RECIPIENT, 9);
        vm.assertEq(other.balanceOf(RECIPIENT), 9);
    }

    /// @dev Addresses are shown before the wallet exists. Until then no session can send from there.
    function test_predictedAddress_paysNothingBeforeItsDeployment() public {
        address predicted = factory.walletAddress(vm.addr(OWNER), "later", vm.addr(SESSION), LIMIT, 0, VALID_UNTIL);
        mint(predicted, 100);
        (bytes32 r, bytes32 vs) = signSend(SESSION, predicted, RECIPIENT, 5, nonceOf(1, 0), DEADLINE);
        (bool success,) =
            predicted.call(abi.encodeCall(AgentWallet.send, (RECIPIENT, 5, nonceOf(1, 0), DEADLINE, r, vs)));
        vm.assertTrue(success, "an address without code reverts");
        vm.assertEq(usdc.balanceOf(RECIPIENT), 0, "paid before the wallet existed");

        create("later").send(RECIPIENT, 5, nonceOf(1, 0), DEADLINE, r, vs);
        vm.assertEq(usdc.balanceOf(RECIPIENT), 5);
        vm.assertEq(IERC20(address(usdc)).balanceOf(predicted), 95);
    }
}
