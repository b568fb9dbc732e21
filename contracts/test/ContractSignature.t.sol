// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {HolderSignature} from "../src/HolderSignature.sol";
import {RedemptionRefusal} from "../src/IEMoneyToken.sol";
import {Batches, RedeemItem} from "./support/Batches.sol";
import {TokenTest} from "./support/TokenTest.sol";
import {
    ApprovingWallet,
    EchoWallet,
    GasBurningWallet,
    MagicRevertingWallet,
    ReenteringWallet,
    ReturnBombWallet,
    RevertingWallet,
    StatefulWallet,
    ThoroughWallet
} from "./support/Wallets.sol";

/// @dev The same call in Solidity, which copies the whole answer: the cost that the assembly in HolderSignature avoids.
contract CopyingCaller {
    function ask(address wallet) external view returns (bool success) {
        (success,) = wallet.staticcall{gas: 500_000}(abi.encodeCall(IERC1271.isValidSignature, (0, "")));
    }
}

contract BoundedCaller {
    function ask(address wallet) external view returns (bool) {
        return HolderSignature.isApprovedWithin(wallet, 0, "", 500_000);
    }

    function askBoth(address first, address second) external view returns (bool, bool) {
        return (HolderSignature.isApprovedWithin(first, 0, "", 500_000), HolderSignature.isApprovedWithin(second, 0, "", 500_000));
    }
}

contract ContractSignatureTest is TokenTest {
    string private constant TEN = "Send EUR 10 to DE68500105178297336485 at 2026-11-20T17:03Z";
    bytes4 private constant MAGIC = IERC1271.isValidSignature.selector;

    /// @dev A wallet's item between two valid ones, which must be redeemed whatever the wallet does.
    function redeemAmongOthers(address wallet, bool burns) private {
        give(wallet, 100e18);
        give(alice, 100e18);
        RedeemItem[] memory items = new RedeemItem[](3);
        items[0] = signedItem(ALICE_KEY, 1e18, "Send EUR 1 to x at 2026-11-20T17:03Z");
        items[1] = redeemItem(wallet, 10e18, TEN, "");
        items[2] = signedItem(ALICE_KEY, 2e18, "Send EUR 2 to x at 2026-11-20T17:03Z");
        expectRedeemed(items[0]);
        if (burns) expectRedeemed(items[1]);
        else expectRefusedRedemption(items[1], RedemptionRefusal.InvalidSignature);
        expectRedeemed(items[2]);
        bytes memory batch = Batches.pack(items);
        vm.prank(operator);
        token.redeem(batch);
        vm.assertEq(token.balanceOf(wallet), burns ? 90e18 : 100e18);
        vm.assertEq(token.messageUsed(wallet, hashOf(TEN)), burns);
    }

    function test_anApprovalOnChainNeedsNoSignature() public {
        ApprovingWallet wallet = new ApprovingWallet();
        wallet.approve(hashOf(TEN));
        redeemAmongOthers(address(wallet), true);
    }

    function test_withoutApprovalNothingBurnsEvenWhenApprovedLater() public {
        ApprovingWallet wallet = new ApprovingWallet();
        redeemAmongOthers(address(wallet), false);
        wallet.approve(hashOf(TEN));
        redeem(redeemItem(address(wallet), 10e18, TEN, ""));
        vm.assertEq(token.balanceOf(address(wallet)), 100e18);
    }

    function test_aRevertIsAnInvalidSignature() public {
        redeemAmongOthers(address(new RevertingWallet()), false);
    }

    function test_burningAllGasIsAnInvalidSignatureAndCostsItsShare() public {
        address wallet = address(new GasBurningWallet());
        uint256 before = gasleft();
        redeemAmongOthers(wallet, false);
        vm.assertLe(before - gasleft(), 500_000 + 400_000);
    }

    function test_aReturnBombIsAnInvalidSignature() public {
        redeemAmongOthers(address(new ReturnBombWallet(false)), false);
        redeemAmongOthersAgain(address(new ReturnBombWallet(true)));
    }

    function redeemAmongOthersAgain(address wallet) private {
        give(wallet, 10e18);
        RedeemItem memory item = redeemItem(wallet, 10e18, TEN, "");
        expectRefusedRedemption(item, RedemptionRefusal.InvalidSignature);
        redeem(item);
    }

    /// @dev Measures what the assembly in HolderSignature saves.
    function test_returnBombCostsLittle() public {
        address wallet = address(new ReturnBombWallet(false));
        CopyingCaller copying = new CopyingCaller();
        BoundedCaller bounded = new BoundedCaller();
        uint256 start = gasleft();
        copying.ask(wallet);
        uint256 copyingGas = start - gasleft();
        start = gasleft();
        bounded.ask(wallet);
        uint256 boundedGas = start - gasleft();
        vm.assertGe(copyingGas - boundedGas, 400_000);
        vm.assertLe(boundedGas, 500_000);
    }

    function test_onlyTheWholeMagicWordIsValid() public {
        redeemAmongOthers(address(new EchoWallet(abi.encode(MAGIC))), true);
    }

    function test_moreThanTheMagicWordIsStillValid() public {
        redeemAmongOthers(address(new EchoWallet(abi.encode(MAGIC, "and more"))), true);
    }

    function test_anotherWordIsInvalid() public {
        redeemAmongOthers(address(new EchoWallet(abi.encode(bytes4(0xffffffff)))), false);
    }

    function test_trueIsInvalid() public {
        redeemAmongOthers(address(new EchoWallet(abi.encode(true))), false);
    }

    function test_aShortAnswerIsInvalid() public {
        redeemAmongOthers(address(new EchoWallet(abi.encodePacked(MAGIC))), false);
    }

    function test_thirtyOneBytesAreInvalid() public {
        redeemAmongOthers(address(new EchoWallet(abi.encodePacked(MAGIC, new bytes(27)))), false);
    }

    function test_noAnswerIsInvalid() public {
        redeemAmongOthers(address(new EchoWallet("")), false);
    }

    function test_noAnswerIsInvalidEvenAfterAValidOne() public {
        (bool first, bool second) = new BoundedCaller().askBoth(address(new EchoWallet(abi.encode(MAGIC))), address(new EchoWallet("")));
        vm.assertTrue(first);
        vm.assertFalse(second);
    }

    function test_theMagicWordInARevertIsInvalid() public {
        redeemAmongOthers(address(new MagicRevertingWallet()), false);
    }

    function test_anAccountWithoutCodeApprovesNothing() public {
        redeemAmongOthers(address(4), false);
    }

    function test_aReenteringOperatorBurnsOnlyOnce() public {
        ReenteringWallet wallet = new ReenteringWallet(token);
        bytes32 role = token.OPERATOR_ROLE();
        vm.prank(admin);
        token.grantRole(role, address(wallet));
        wallet.prepare(redeemItem(address(wallet), 10e18, TEN, ""));
        wallet.prepare(redeemItem(address(wallet), 10e18, "Send EUR 10 to another at 2026-11-20T17:03Z", ""));
        redeemAmongOthers(address(wallet), true);
        vm.assertFalse(token.messageUsed(address(wallet), hashOf("Send EUR 10 to another at 2026-11-20T17:03Z")));
        vm.assertEq(token.balanceOf(address(0xBEEF)), 0);
    }

    function test_aWalletThatChangesStateIsInvalid() public {
        redeemAmongOthers(address(new StatefulWallet(token)), false);
        vm.assertEq(token.balanceOf(address(0xBEEF)), 0);
    }

    function test_theTokenItselfApprovesNothing() public {
        RedeemItem memory item = redeemItem(address(token), 10e18, TEN, "");
        expectRefusedRedemption(item, RedemptionRefusal.InvalidSignature);
        redeem(item);
    }

    function test_theShareOfGasIsEnoughForAnythingWithinIt() public {
        redeemAmongOthers(address(new ThoroughWallet(token.signatureGas() - 2_000)), true);
    }

    function test_beyondItsShareASignatureIsInvalid() public {
        redeemAmongOthers(address(new ThoroughWallet(token.signatureGas() + 1)), false);
    }

    function test_tooLittleGasRevertsTheBatchAndSaysSo() public {
        address wallet = address(new ThoroughWallet(400_000));
        give(wallet, 10e18);
        bytes memory call = abi.encodeCall(token.redeem, (Batches.pack(redeemItem(wallet, 10e18, TEN, ""))));
        vm.prank(operator);
        (bool success, bytes memory answer) = address(token).call{gas: 450_000}(call);
        vm.assertFalse(success);
        vm.assertEq(bytes32(bytes4(answer)), bytes32(HolderSignature.InsufficientGasForSignature.selector));
    }

    function test_anAccountWithoutCodeNeedsNoShareOfGas() public {
        give(alice, 10e18);
        bytes memory call = abi.encodeCall(token.redeem, (Batches.pack(redeemItem(alice, 10e18, TEN, ""))));
        vm.prank(operator);
        (bool success,) = address(token).call{gas: 200_000}(call);
        vm.assertTrue(success);
    }

    /// @dev Whatever gas the operator sends, an item with a valid signature is redeemed or its batch reverts: it is never refused.
    function testFuzz_noAmountOfGasTurnsAValidSignatureInvalid(uint256 gas, bool byKey) public {
        address holder = byKey ? alice : address(new ThoroughWallet(token.signatureGas() - 2_000));
        give(holder, 10e18);
        bytes memory call =
            abi.encodeCall(token.redeem, (Batches.pack(byKey ? signedItem(ALICE_KEY, 10e18, TEN) : redeemItem(holder, 10e18, TEN, ""))));
        gas = bound(gas, 20_000, byKey ? 150_000 : 700_000);
        vm.prank(operator);
        (bool success,) = address(token).call{gas: gas}(call);
        vm.assertEq(token.balanceOf(holder), success ? 0 : 10e18);
        vm.assertEq(token.messageUsed(holder, hashOf(TEN)), success);
    }

    /// @dev The same for every amount of gas around the limit, where random amounts seldom fall.
    function test_noGasAtTheBorderTurnsAValidSignatureInvalid() public {
        address holder = address(new ThoroughWallet(token.signatureGas() - 2_000));
        give(holder, 10e18);
        bytes memory call = abi.encodeCall(token.redeem, (Batches.pack(redeemItem(holder, 10e18, TEN, ""))));
        uint256 succeeded;
        uint256 failed;
        for (uint256 gas = 500_000; gas < 640_000; gas += 251) {
            uint256 snapshot = vm.snapshotState();
            vm.prank(operator);
            (bool success,) = address(token).call{gas: gas}(call);
            if (success) succeeded++;
            else failed++;
            vm.assertEq(token.balanceOf(holder), success ? 0 : 10e18);
            vm.revertToState(snapshot);
        }
        vm.assertGe(succeeded, 50);
        vm.assertGe(failed, 50);
    }

    /// @dev To ask with a large signature takes memory, which must not be paid from the share.
    function test_noGasAtTheBorderTurnsAValidLargeSignatureInvalid() public {
        address holder = address(new ThoroughWallet(token.signatureGas() - 2_000));
        give(holder, 10e18);
        bytes memory call = abi.encodeCall(token.redeem, (Batches.pack(redeemItem(holder, 10e18, TEN, new bytes(65_535)))));
        uint256 succeeded;
        uint256 failed;
        for (uint256 gas = 560_000; gas < 760_000; gas += 503) {
            uint256 snapshot = vm.snapshotState();
            vm.prank(operator);
            (bool success,) = address(token).call{gas: gas}(call);
            if (success) succeeded++;
            else failed++;
            vm.assertEq(token.balanceOf(holder), success ? 0 : 10e18);
            vm.revertToState(snapshot);
        }
        vm.assertGe(succeeded, 50);
        vm.assertGe(failed, 50);
    }
}
