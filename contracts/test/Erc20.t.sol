// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/PausableUpgradeable.sol";
import {BlockableERC20} from "../src/BlockableERC20.sol";
import {TokenTest} from "./support/TokenTest.sol";
import {ApprovingWallet} from "./support/Wallets.sol";

contract Erc20Test is TokenTest {
    function setUp() public override {
        super.setUp();
        give(alice, 100e18);
    }

    function blockAccount(address account) private {
        vm.prank(admin);
        token.blockAccount(account);
    }

    function permit(uint256 key, address owner, uint256 value, uint256 deadline) private {
        bytes32 content = keccak256(
            abi.encode(
                keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"), owner, bob, value, token.nonces(owner), deadline
            )
        );
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, keccak256(abi.encodePacked(hex"1901", token.DOMAIN_SEPARATOR(), content)));
        token.permit(owner, bob, value, deadline, v, r, s);
    }

    function test_saysWhatItIs() public view {
        vm.assertEq(token.name(), "Mintrail Euro");
        vm.assertEq(token.symbol(), "EURe");
        vm.assertEq(token.currency(), "EUR");
        vm.assertEq(token.decimals(), 18);
    }

    function test_moves() public {
        vm.expectEmit(true, true, true, true, address(token));
        emit IERC20.Transfer(alice, bob, 30e18);
        vm.prank(alice);
        vm.assertTrue(token.transfer(bob, 30e18));
        vm.assertEq(token.balanceOf(alice), 70e18);
        vm.assertEq(token.balanceOf(bob), 30e18);
        vm.assertEq(token.totalSupply(), 100e18);
    }

    function test_movesNoMoreThanThereIs() public {
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InsufficientBalance.selector, alice, 100e18, 100e18 + 1));
        vm.prank(alice);
        token.transfer(bob, 100e18 + 1);
    }

    function test_movesNothingToNowhereOrToTheToken() public {
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InvalidReceiver.selector, address(0)));
        vm.prank(alice);
        token.transfer(address(0), 1);
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InvalidReceiver.selector, address(token)));
        vm.prank(alice);
        token.transfer(address(token), 1);
    }

    function test_spendsAnAllowance() public {
        vm.expectEmit(true, true, true, true, address(token));
        emit IERC20.Approval(alice, bob, 50e18);
        vm.prank(alice);
        token.approve(bob, 50e18);
        vm.prank(bob);
        token.transferFrom(alice, address(0xC0), 20e18);
        vm.assertEq(token.allowance(alice, bob), 30e18);
        vm.assertEq(token.balanceOf(address(0xC0)), 20e18);
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InsufficientAllowance.selector, bob, 30e18, 30e18 + 1));
        vm.prank(bob);
        token.transferFrom(alice, bob, 30e18 + 1);
    }

    function test_anEndlessAllowanceIsNotUsedUp() public {
        vm.prank(alice);
        token.approve(bob, type(uint256).max);
        vm.prank(bob);
        token.transferFrom(alice, bob, 20e18);
        vm.assertEq(token.allowance(alice, bob), type(uint256).max);
    }

    function test_approvesNobodyAtZero() public {
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InvalidSpender.selector, address(0)));
        vm.prank(alice);
        token.approve(address(0), 1);
    }

    function test_permitsByTheOwnersSignatureOnce() public {
        permit(ALICE_KEY, alice, 40e18, block.timestamp);
        vm.assertEq(token.allowance(alice, bob), 40e18);
        vm.assertEq(token.nonces(alice), 1);
        vm.prank(bob);
        token.transferFrom(alice, bob, 40e18);
        vm.assertEq(token.balanceOf(bob), 40e18);
    }

    function test_permitsNothingLateOrByAnother() public {
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.PermitExpired.selector, NOW - 1));
        this.permitExternally(ALICE_KEY, alice, 1, NOW - 1);
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.InvalidSignature.selector, alice));
        this.permitExternally(BOB_KEY, alice, 1, NOW);
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.InvalidSignature.selector, address(0)));
        token.permit(address(0), bob, 1, NOW, 27, 0, 0);
    }

    function test_aContractAccountPermits() public {
        ApprovingWallet wallet = new ApprovingWallet();
        bytes32 typehash = keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
        bytes32 content = keccak256(abi.encode(typehash, wallet, bob, 1, 0, NOW));
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.InvalidSignature.selector, address(wallet)));
        token.permit(address(wallet), bob, 1, NOW, "");
        wallet.approve(keccak256(abi.encodePacked(hex"1901", token.DOMAIN_SEPARATOR(), content)));
        token.permit(address(wallet), bob, 1, NOW, "");
        vm.assertEq(token.allowance(address(wallet), bob), 1);
    }

    function test_anEip7702AccountPermitsWithItsKey() public {
        vm.etch(alice, abi.encodePacked(hex"ef0100", address(new ApprovingWallet())));
        permit(ALICE_KEY, alice, 40e18, NOW);
        vm.assertEq(token.allowance(alice, bob), 40e18);
    }

    function test_aBlockedSpenderGetsNoAllowanceButLosesOne() public {
        vm.prank(alice);
        token.approve(bob, 50e18);
        blockAccount(bob);
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.AccountBlocked.selector, bob));
        vm.prank(alice);
        token.approve(bob, 1);
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.AccountBlocked.selector, bob));
        this.permitExternally(ALICE_KEY, alice, 1, NOW);
        vm.prank(alice);
        token.approve(bob, 0);
        vm.assertEq(token.allowance(alice, bob), 0);
    }

    function test_pauseStopsApprovalsButNotTheirEnd() public {
        vm.prank(alice);
        token.approve(bob, 50e18);
        vm.prank(admin);
        token.pause();
        vm.expectRevert(PausableUpgradeable.EnforcedPause.selector);
        vm.prank(alice);
        token.approve(bob, 1);
        vm.expectRevert(PausableUpgradeable.EnforcedPause.selector);
        this.permitExternally(ALICE_KEY, alice, 1, NOW);
        vm.prank(alice);
        token.approve(bob, 0);
        vm.assertEq(token.allowance(alice, bob), 0);
    }

    /// @dev Its word of storage stays, so tokens that come again cost no more than for any holder.
    function test_anEmptiedAccountIsRemembered() public {
        vm.prank(alice);
        token.transfer(bob, 100e18);
        vm.assertEq(token.balanceOf(alice), 0);
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InsufficientBalance.selector, alice, 0, 1));
        vm.prank(alice);
        token.transfer(bob, 1);
        vm.prank(bob);
        token.transfer(alice, 100e18);
        vm.assertEq(token.balanceOf(alice), 100e18);
    }

    function permitExternally(uint256 key, address owner, uint256 value, uint256 deadline) external {
        permit(key, owner, value, deadline);
    }

    function test_aPermitIsNotReplayed() public {
        bytes32 typehash = keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
        bytes32 content = keccak256(abi.encode(typehash, alice, bob, 1, 0, block.timestamp));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(ALICE_KEY, keccak256(abi.encodePacked(hex"1901", token.DOMAIN_SEPARATOR(), content)));
        token.permit(alice, bob, 1, block.timestamp, v, r, s);
        vm.expectRevert();
        token.permit(alice, bob, 1, block.timestamp, v, r, s);
    }

    function test_theDomainIsTheTokensOwn() public view {
        vm.assertEq(
            token.DOMAIN_SEPARATOR(),
            keccak256(
                abi.encode(
                    keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                    keccak256("Mintrail Euro"),
                    keccak256("1"),
                    block.chainid,
                    address(token)
                )
            )
        );
    }

    function test_aBlockedAccountKeepsItsBalance() public {
        vm.expectEmit(true, true, true, true, address(token));
        emit BlockableERC20.Blocked(alice);
        blockAccount(alice);
        vm.assertTrue(token.blocked(alice));
        vm.assertEq(token.balanceOf(alice), 100e18);
        blockAccount(alice);
        vm.assertTrue(token.blocked(alice));

        vm.expectEmit(true, true, true, true, address(token));
        emit BlockableERC20.Unblocked(alice);
        vm.prank(admin);
        token.unblockAccount(alice);
        vm.assertFalse(token.blocked(alice));
        vm.prank(admin);
        token.unblockAccount(alice);
        vm.assertFalse(token.blocked(alice));
        vm.assertEq(token.balanceOf(alice), 100e18);
        vm.prank(alice);
        token.transfer(bob, 100e18);
    }

    function test_aBlockedAccountNeitherSendsNorReceives() public {
        blockAccount(alice);
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.AccountBlocked.selector, alice));
        vm.prank(alice);
        token.transfer(bob, 1);
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.AccountBlocked.selector, alice));
        vm.prank(bob);
        token.transfer(alice, 0);
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.AccountBlocked.selector, alice));
        vm.prank(alice);
        token.transfer(alice, 1);
    }

    function test_nobodySpendsForABlockedAccountNorDoesItSpend() public {
        vm.prank(alice);
        token.approve(bob, 50e18);
        blockAccount(alice);
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.AccountBlocked.selector, alice));
        vm.prank(bob);
        token.transferFrom(alice, bob, 1);
        vm.prank(admin);
        token.unblockAccount(alice);
        blockAccount(bob);
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.AccountBlocked.selector, bob));
        vm.prank(bob);
        token.transferFrom(alice, address(0xC0), 1);
    }

    function test_aBlockedAccountGivesNoAllowanceButMayTakeOneBack() public {
        vm.prank(alice);
        token.approve(bob, 50e18);
        blockAccount(alice);
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.AccountBlocked.selector, alice));
        vm.prank(alice);
        token.approve(bob, 1);
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.AccountBlocked.selector, alice));
        this.permitExternally(ALICE_KEY, alice, 1, block.timestamp);
        vm.prank(alice);
        token.approve(bob, 0);
        vm.assertEq(token.allowance(alice, bob), 0);
    }

    function test_pauseStopsTransfersAndUnpauseResumesThem() public {
        vm.prank(alice);
        token.approve(bob, 50e18);
        vm.prank(admin);
        token.pause();
        vm.expectRevert(PausableUpgradeable.EnforcedPause.selector);
        vm.prank(alice);
        token.transfer(bob, 1);
        vm.expectRevert(PausableUpgradeable.EnforcedPause.selector);
        vm.prank(bob);
        token.transferFrom(alice, bob, 1);
        vm.prank(admin);
        token.unpause();
        vm.prank(alice);
        token.transfer(bob, 1);
    }

    function testFuzz_aTransferMovesExactlyItsAmount(address to, uint256 amount) public {
        vm.assume(to != address(0) && to != address(token));
        amount = bound(amount, 0, 100e18);
        uint256 before = token.balanceOf(to);
        vm.prank(alice);
        token.transfer(to, amount);
        vm.assertEq(token.balanceOf(alice), to == alice ? 100e18 : 100e18 - amount);
        vm.assertEq(token.balanceOf(to), to == alice ? 100e18 : before + amount);
    }
}
